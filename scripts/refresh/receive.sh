#!/usr/bin/env bash
# Takes over what a refresh hands over, from the folder in which its artifact was unpacked: `receive.sh <folder>`. Only regular files
# with these names count, and replace the checkout's: the job that made the artifact ran what was installed, and this one may write to
# the repository.
set -euo pipefail

names='(data/[a-z]+\.(nd)?json|data/names/[A-Za-z0-9-]+\.json|\.cache/refresh/(message\.txt|report\.json))'
received() { find data .cache/refresh -regextype posix-extended -type f -regex "$names" "$@"; }

checkout=$PWD
mkdir -p .cache/refresh
received -delete
cd "$1"
received -exec cp --parents --target-directory "$checkout" {} +
