#!/usr/bin/env bash
# Refreshes data/, then builds the site in build/ from it and checks the site.
#
#   BASE_URL           address of the site
#   REFRESH_HOSTS      hosts to build for, separated by white space (netlify)
#   REFRESH_SOURCE     rest or csv (rest)
#   REFRESH_UPSTREAM   another upstream of that source
#   REFRESH_OPTIONS    other options of `gamedata snapshot`, such as --skip item/17
#   PAGES_URL          address on GitHub Pages; if it is set, builds another site, in
#                      .cache/refresh/pages/
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

# People paste values with line breaks, so white space at the ends of values is removed,
# and any white space separates words.
IFS=$' \t\r\n'
read -rd '' BASE_URL <<< "${BASE_URL:-}" || true
read -rd '' REFRESH_SOURCE <<< "${REFRESH_SOURCE:-}" || true
read -rd '' REFRESH_UPSTREAM <<< "${REFRESH_UPSTREAM:-}" || true
read -rd '' -a options <<< "${REFRESH_OPTIONS:-}" || true
read -rd '' -a hosts <<< "${REFRESH_HOSTS:-}" || true
export BASE_URL
write_output "base_url=$BASE_URL"

if [ "${#hosts[@]}" -gt 0 ]; then hosts=(--host "${hosts[@]}"); fi
# The default, `auto`, would keep the old data if the upstream cannot be read.
options+=(--source "${REFRESH_SOURCE:-rest}")
if [ -n "$REFRESH_UPSTREAM" ]; then options+=(--upstream "$REFRESH_UPSTREAM"); fi

status=0
gamedata snapshot "${options[@]}" --data data --json > "$work/report.json" 2> "$work/log.txt" || status=$?
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
