#!/usr/bin/env bash
# Waits until the address in BASE_URL serves exactly the site in a folder, and checks what its host has to support.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

if [ -z "${BASE_URL:-}" ]; then
  echo 'BASE_URL is not set: there is no deployment to check'
  exit 0
fi
gamedata verify "$BASE_URL" --like "${1:-$site}" --wait "${REFRESH_WAIT:-15m}"
