# What the steps of a refresh share; each of them reads this first. All run from the project's folder.
#
#   GAMEDATA_CLI            the compiled command line (dist/cli.js)
#   REFRESH_WORK            where steps leave files for the next ones (.cache/refresh)
#   REFRESH_UPSTREAM        another upstream than the live one
#   REFRESH_ALLOW_MISSING   records that may disappear, with blanks between them: move/pound item/potion
#   REFRESH_HOSTS           whose configuration the site gets, with blanks between them (netlify)

work=${REFRESH_WORK:-.cache/refresh}
data=data
site=build

gamedata() {
  node "${GAMEDATA_CLI:-dist/cli.js}" "$@"
}

# Tells later steps, and the workflow, how this one ended: `outcome changed`.
tell() {
  echo "$1=$2" >> "${GITHUB_OUTPUT:-/dev/null}"
  echo "$2" > "$work/$1"
}
