#!/usr/bin/env bash
# Refreshes data/, builds and checks the site in build/, and packs it into build-archives/. Lists are separated by spaces.
#
#   REFRESH_UPSTREAM        another upstream
#   REFRESH_ALLOW_MISSING   records that may disappear: move/pound item/potion names/fr
#   REFRESH_SKIP            records to leave out: item/17
#   REFRESH_MAX_SHRINK      percentage of records that may disappear (1)
#   REFRESH_HOSTS           hosts to build for, with BASE_URL (netlify)
#
# Writes the outcome: `changed` (.cache/refresh/message.txt lists the changes), `unchanged`, `refused` (report.json has the reason) or
# `failed` (the upstream cannot be read). The last two exit with a failure and leave data/ unchanged.
set -euo pipefail

work=.cache/refresh
rm -rf "$work"
mkdir -p "$work"
cp -R data "$work/old"

gamedata() { node scripts/gamedata.mjs "$@"; }
write_outcome() { echo "outcome=$1" | tee "$work/outcome.txt" >> "${GITHUB_OUTPUT:-/dev/null}"; }

# `rest` has no fallback.
source=(--source rest)
if [ -n "${REFRESH_UPSTREAM:-}" ]; then source+=(--upstream "$REFRESH_UPSTREAM"); fi
# Adds an option with words from a form. A word must not be an option itself.
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
  case $code in guard | data) write_outcome refused ;; *) write_outcome failed ;; esac
  exit "$status"
fi

gamedata diff "$work/old" data --exit-code > "$work/diff.txt" || status=$?
# Translations change no record, but must be committed, too.
names=$(sed -n 's/^names: //p' "$work/log.txt" | paste -sd , | sed 's/,/, /g')
case $status in
  # The first refresh of a fork changes thousands of records.
  3) sed '200{s/.*/…/;q}' "$work/diff.txt" > "$work/changes.txt" ;;
  0) printf '%s' "${names:+$names$'\n'}" > "$work/changes.txt" ;;
  *) exit "$status" ;;
esac
if [ -s "$work/changes.txt" ]; then
  { printf 'Refresh the data: '; cat "$work/changes.txt"; } | tee "$work/message.txt"
  write_outcome changed
else
  write_outcome unchanged
fi

build=("${source[@]}" --out build --verify --keep 1)
if [ -n "${REFRESH_HOSTS:-}" ]; then
  read -ra hosts <<< "$REFRESH_HOSTS"
  build+=(--host "${hosts[@]}")
fi
gamedata build "${build[@]}"
