#!/usr/bin/env bash
# Refreshes the snapshot in data/ strictly from the upstream: without it there is an error, and no fallback.
#
# The outcome is `changed` (then message.txt says what did), `unchanged`, `refused` (the guards do not believe the data;
# report.json says why) or `failed` (the upstream could not be read). The last two exit with 1, and data/ is as it was.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

rm -rf "$work"
mkdir -p "$work"
cp -R "$data" "$work/old"

options=()
if [ -n "${REFRESH_UPSTREAM:-}" ]; then options+=(--upstream "$REFRESH_UPSTREAM"); fi
if [ -n "${REFRESH_ALLOW_MISSING:-}" ]; then
  read -ra names <<< "$REFRESH_ALLOW_MISSING"
  options+=(--allow-missing "${names[@]}")
fi

if ! gamedata snapshot --source rest --data "$data" --json ${options[@]+"${options[@]}"} > "$work/report.json"; then
  code=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).error.code' "$work/report.json") || code=bug
  if [ "$code" = data ]; then tell outcome refused; else tell outcome failed; fi
  exit 1
fi

status=0
gamedata diff "$work/old" "$data" --max 50 --exit-code > "$work/diff.txt" || status=$?
case $status in
  0) tell outcome unchanged ;;
  3)
    { printf 'Refresh the data: '; cat "$work/diff.txt"; } > "$work/message.txt"
    cat "$work/message.txt"
    tell outcome changed
    ;;
  *) exit "$status" ;;
esac
