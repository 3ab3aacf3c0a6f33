#!/usr/bin/env bash
# Refreshes the snapshot in data/, builds the site into build/ as Netlify and Cloudflare build it from the same commit, checks every
# file of it, and packs it into build-archives/, from where it can be restored.
#
#   REFRESH_UPSTREAM        another upstream than the live one
#   REFRESH_ALLOW_MISSING   records that may disappear, separated by spaces: move/pound item/potion names/fr
#   REFRESH_SKIP            records that are left out, separated by spaces: item/17
#   REFRESH_MAX_SHRINK      the percentage of records that may disappear (1)
#   REFRESH_HOSTS           whose configuration the site gets, separated by spaces, which BASE_URL has to go with (netlify)
#
# The outcome is `changed` (then .cache/refresh/message.txt says what did), `unchanged`, `refused` (the data is invalid, or a guard
# refused it; report.json says why) or `failed` (the upstream could not be read). The last two are failures, and data/ is as it was.
set -euo pipefail

work=.cache/refresh
rm -rf "$work"
mkdir -p "$work"
cp -R data "$work/old"

gamedata() { node scripts/gamedata.mjs "$@"; }
tell() { echo "outcome=$1" | tee "$work/outcome.txt" >> "${GITHUB_OUTPUT:-/dev/null}"; }

# Strictly from the upstream: without it there is an error, and no fallback.
source=(--source rest)
if [ -n "${REFRESH_UPSTREAM:-}" ]; then source+=(--upstream "$REFRESH_UPSTREAM"); fi
# Adds an option with words that somebody typed into a form: none of them may be an option of its own.
add() {
  local option=$1 pattern=$2 words word
  read -ra words <<< "$3"
  for word in "${words[@]}"; do
    if [[ ! $word =~ ^($pattern)$ ]]; then
      echo "$option: got \"$word\": expected $4" >&2
      exit 2
    fi
  done
  if [ "${#words[@]}" -gt 0 ]; then source+=("$option" "${words[@]}"); fi
}
add --allow-missing '[a-z]+/[a-z0-9-]+|names/[A-Za-z0-9-]+' "${REFRESH_ALLOW_MISSING:-}" '<kind>/<slug> or names/<language>'
add --skip '[a-z]+/[0-9]+' "${REFRESH_SKIP:-}" '<kind>/<id>'
add --max-shrink '[0-9]{1,3}' "${REFRESH_MAX_SHRINK:-}" 'a percentage'

status=0
gamedata snapshot "${source[@]}" --data data --json > "$work/report.json" 2> "$work/log.txt" || status=$?
cat "$work/log.txt" >&2
if [ "$status" -ne 0 ]; then
  code=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).error.code' "$work/report.json") || code=bug
  case $code in guard | data) tell refused ;; *) tell failed ;; esac
  exit "$status"
fi

gamedata diff "$work/old" data --exit-code > "$work/diff.txt" || status=$?
# A translation changes no record, and is a change all the same: what is published has to be what is committed.
names=$(sed -n 's/^names: //p' "$work/log.txt" | paste -sd , | sed 's/,/, /g')
case $status in
  # The first refresh of a fork has thousands of lines.
  3) sed '200{s/.*/…/;q}' "$work/diff.txt" > "$work/changes.txt" ;;
  0) printf '%s' "${names:+$names$'\n'}" > "$work/changes.txt" ;;
  *) exit "$status" ;;
esac
if [ -s "$work/changes.txt" ]; then
  { printf 'Refresh the data: '; cat "$work/changes.txt"; } | tee "$work/message.txt"
  tell changed
else
  tell unchanged
fi

build=("${source[@]}" --out build --verify --keep 1)
if [ -n "${REFRESH_HOSTS:-}" ]; then
  read -ra hosts <<< "$REFRESH_HOSTS"
  build+=(--host "${hosts[@]}")
fi
gamedata build "${build[@]}"
