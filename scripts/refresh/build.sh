#!/usr/bin/env bash
# Builds the site of the snapshot in data/ into build/, and checks every file of it.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

read -ra hosts <<< "${REFRESH_HOSTS:-netlify}"
gamedata build --source snapshot --upstream "$data" --host "${hosts[@]}" --out "$site"
gamedata verify "$site"
