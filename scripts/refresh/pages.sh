#!/usr/bin/env bash
# Builds the site of the snapshot in data/ for GitHub Pages, at the address in BASE_URL, and checks every file of it.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

gamedata build --source snapshot --upstream "$data" --host github-pages --base-url "$BASE_URL" --out "$work/pages" --verify
