#!/usr/bin/env bash
# Refreshes the snapshot in data/.
#
# The outcome is `changed` (then message.txt says what did), `unchanged`, `refused` (the data is invalid, or a guard refused
# it; report.json says why) or `failed` (the upstream could not be read). The last two are failures, and data/ is as it was.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

rm -rf "$work"
mkdir -p "$work"
cp -R "$data" "$work/old"

status=0
gamedata snapshot "${source[@]}" --data "$data" --json > "$work/report.json" || status=$?
if [ "$status" -ne 0 ]; then
  code=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).error.code' "$work/report.json") || code=bug
  case $code in guard | data) tell outcome refused ;; *) tell outcome failed ;; esac
  exit "$status"
fi

gamedata diff "$work/old" "$data" --exit-code > "$work/diff.txt" || status=$?
case $status in
  0) tell outcome unchanged ;;
  3)
    { printf 'Refresh the data: '; cat "$work/diff.txt"; } > "$work/message.txt"
    cat "$work/message.txt"
    tell outcome changed
    ;;
  *) exit "$status" ;;
esac
