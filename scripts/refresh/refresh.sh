#!/usr/bin/env bash
# Refreshes data/, then builds the site in build/ from it and checks the site. White space separates the
# items of a list.
#
#   REFRESH_SOURCE          rest or csv (rest)
#   REFRESH_UPSTREAM        another upstream of that source
#   REFRESH_ALLOW_MISSING   records that may disappear: move/pound item/potion names/fr
#   REFRESH_SKIP            records to leave out: item/17
#   REFRESH_MAX_SHRINK      percentage of records that may disappear (1)
#   REFRESH_HOSTS           hosts to build for, with BASE_URL (netlify)
#   PAGES_URL               address on GitHub Pages; if it is set, builds another site,
#                           in .cache/refresh/pages/
#
# Writes BASE_URL as `base_url`, and one of these outcomes:
#
#   changed     .cache/refresh/message.txt lists the changes
#   unchanged
#   refused     .cache/refresh/report.json has the reason
#   failed      the upstream cannot be read
#
# After the last two, the script exits with a failure and leaves data/ unchanged.
set -euo pipefail

work=.cache/refresh
rm -rf "$work"
mkdir -p "$work"
cp -R data "$work/old"

gamedata() { node scripts/gamedata.mjs "$@"; }
write_output() { echo "$1" >> "${GITHUB_OUTPUT:-/dev/null}"; }
write_outcome() {
  echo "outcome=$1" > "$work/outcome.txt"
  write_output "outcome=$1"
}

# Prints a value without white space at its ends. Replaces other white space by single
# spaces, because people paste values with line breaks.
normalize() {
  # Most values are empty, so this avoids starting Node.
  [ -n "$1" ] || return 0
  node -p 'process.argv[1].trim().replace(/\s+/g, " ")' -- "$1"
}

BASE_URL=$(normalize "${BASE_URL:-}")
export BASE_URL
write_output "base_url=$BASE_URL"

# Appends an option and its words to an array:
# `append <array> <option> <pattern> <expected> <words>`. Each word must match the
# pattern, so that it cannot be an option itself.
append() {
  local -n array=$1
  local option=$2 pattern=$3 expected=$4 words word
  read -ra words <<< "$(normalize "$5")"
  for word in "${words[@]}"; do
    if [[ ! $word =~ ^($pattern)$ ]]; then
      echo "$option: got \"$word\": expected $expected" >&2
      exit 2
    fi
  done
  if [ "${#words[@]}" -gt 0 ]; then array+=("$option" "${words[@]}"); fi
}

# Unlike `auto`, neither source falls back to the bundled data.
source_name=$(normalize "${REFRESH_SOURCE:-}")
source=()
append source --source 'rest|csv' 'rest or csv' "${source_name:-rest}"
append source --upstream '[^-].*' 'a URL or a folder' "${REFRESH_UPSTREAM:-}"
append source --allow-missing '[a-z]+/[a-z0-9-]+|names/[A-Za-z0-9-]+' '<kind>/<slug> or names/<language>' "${REFRESH_ALLOW_MISSING:-}"
append source --skip '[a-z]+/[0-9]+' '<kind>/<id>' "${REFRESH_SKIP:-}"
append source --max-shrink '[0-9]{1,3}(\.[0-9]+)?' 'a percentage' "${REFRESH_MAX_SHRINK:-}"
hosts=()
append hosts --host '[a-z][a-z-]*' 'names of hosts' "${REFRESH_HOSTS:-}"

status=0
gamedata snapshot "${source[@]}" --data data --json > "$work/report.json" 2> "$work/log.txt" || status=$?
cat "$work/log.txt" >&2
if [ "$status" -ne 0 ]; then
  code=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).error.code' "$work/report.json") || code=bug
  case $code in
    guard | data) write_outcome refused ;;
    *) write_outcome failed ;;
  esac
  exit "$status"
fi

gamedata diff "$work/old" data --exit-code > "$work/diff.txt" || status=$?
rm -rf "$work/old"
# Translations change no record, but must be committed as well.
names=$(sed -n 's/^names: //p' "$work/log.txt")
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

# Builds and checks a site of the refreshed data: `publish <folder> <options>`.
publish() {
  local folder=$1
  shift
  gamedata build --source snapshot --out "$folder" "$@"
  gamedata verify "$folder"
}
publish build "${hosts[@]}"
if [ -n "${PAGES_URL:-}" ]; then
  publish "$work/pages" --host github-pages --sprites mirror --base-url "$PAGES_URL"
fi
