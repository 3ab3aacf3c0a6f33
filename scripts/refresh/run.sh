#!/usr/bin/env bash
# A whole refresh, as the workflow does it, on any machine: the steps in their order.
set -euo pipefail
steps=$(dirname "$0")

"$steps/snapshot.sh"
"$steps/build.sh"
"$steps/archive.sh"
"$steps/commit.sh"
"$steps/deploy.sh"
