#!/usr/bin/env bash
# Builds the site into build/ as Netlify and Cloudflare build it from the same commit, checks every file, and packs it for download.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

read -ra hosts <<< "${REFRESH_HOSTS:-netlify}"
gamedata build "${source[@]}" --host "${hosts[@]}" --out "$site" --verify
gamedata archive "$site" --out "$work/archive"
