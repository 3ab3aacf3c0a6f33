#!/usr/bin/env bash
# Copies data and messages from the unpacked artifact of a refresh:
# `receive.sh <folder>`. Copies only regular files with known names, because the job
# that created them ran installed code, and this job may write to the repository.
set -euo pipefail

names='(data/[a-z-]+\.(nd)?json|data/names/[A-Za-z0-9-]+\.json|\.cache/refresh/(message\.txt|report\.json))'
received() { find data .cache/refresh -regextype posix-extended -type f -regex "$names" "$@"; }

checkout=$PWD
mkdir -p .cache/refresh
received -delete
cd "$1"
received -exec cp --parents --target-directory "$checkout" {} +
