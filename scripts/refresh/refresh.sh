#!/usr/bin/env bash
# Refreshes the snapshot in data/, builds the site into build/ as Netlify and Cloudflare build it from the same commit, checks every
# file of it, and packs it for download.
#
#   REFRESH_UPSTREAM        another upstream than the live one
#   REFRESH_ALLOW_MISSING   records that may disappear, separated by spaces: move/pound item/potion
#   REFRESH_HOSTS           whose configuration the site gets, separated by spaces (netlify)
#
# The outcome is `changed` (then .cache/refresh/message.txt says what did), `unchanged`, `refused` (the data is invalid, or a guard
# refused it; report.json says why) or `failed` (the upstream could not be read). The last two are failures, and data/ is as it was.
set -euo pipefail

work=.cache/refresh
rm -rf "$work"
mkdir -p "$work"
cp -R data "$work/old"

gamedata() { node dist/cli.js "$@"; }
tell() { echo "outcome=$1" | tee "$work/outcome.txt" >> "${GITHUB_OUTPUT:-/dev/null}"; }

# Strictly from the upstream: without it there is an error, and no fallback.
source=(--source rest)
if [ -n "${REFRESH_UPSTREAM:-}" ]; then source+=(--upstream "$REFRESH_UPSTREAM"); fi
if [ -n "${REFRESH_ALLOW_MISSING:-}" ]; then
  read -ra names <<< "$REFRESH_ALLOW_MISSING"
  source+=(--allow-missing "${names[@]}")
fi

status=0
gamedata snapshot "${source[@]}" --data data --json > "$work/report.json" || status=$?
if [ "$status" -ne 0 ]; then
  code=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).error.code' "$work/report.json") || code=bug
  case $code in guard | data) tell refused ;; *) tell failed ;; esac
  exit "$status"
fi

gamedata diff "$work/old" data --exit-code > "$work/diff.txt" || status=$?
case $status in
  0) tell unchanged ;;
  3)
    # The first refresh of a fork has thousands of lines.
    { printf 'Refresh the data: '; sed '200{s/.*/…/;q}' "$work/diff.txt"; } | tee "$work/message.txt"
    tell changed
    ;;
  *) exit "$status" ;;
esac

read -ra hosts <<< "${REFRESH_HOSTS:-netlify}"
gamedata build "${source[@]}" --host "${hosts[@]}" --out build --verify
gamedata archive build --out "$work/archive"
