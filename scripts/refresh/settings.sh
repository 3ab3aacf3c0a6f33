# What the steps of a refresh share; each of them reads this first. All run from the project's folder.
#
#   GAMEDATA_CLI            the compiled command line (dist/cli.js)
#   REFRESH_WORK            where steps leave files for the next ones (.cache/refresh)
#   REFRESH_UPSTREAM        another upstream than the live one
#   REFRESH_ALLOW_MISSING   records that may disappear, separated by spaces: move/pound item/potion
#   REFRESH_HOSTS           whose configuration the site gets, separated by spaces (netlify)

work=${REFRESH_WORK:-.cache/refresh}
data=data
site=build

gamedata() {
  node "${GAMEDATA_CLI:-dist/cli.js}" "$@"
}

# Strictly from the upstream: without it there is an error, and no fallback.
source=(--source rest)
if [ -n "${REFRESH_UPSTREAM:-}" ]; then source+=(--upstream "$REFRESH_UPSTREAM"); fi
if [ -n "${REFRESH_ALLOW_MISSING:-}" ]; then
  read -ra names <<< "$REFRESH_ALLOW_MISSING"
  source+=(--allow-missing "${names[@]}")
fi

# Tells later steps, and the workflow, how this one ended: `outcome changed`.
tell() {
  echo "$1=$2" >> "${GITHUB_OUTPUT:-/dev/null}"
  echo "$2" > "$work/$1"
}

# The number of the open issue with a title; nothing if there is none. Needs gh (https://cli.github.com).
open_issue() {
  gh issue list --state open --limit 200 --json number,title \
    --jq "[.[] | select(.title == \"$1\")][0].number // empty"
}
