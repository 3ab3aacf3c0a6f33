#!/usr/bin/env bash
# Opens an issue that says why the guards refused the upstream's data; if one is open already, it gets a comment.
# Needs gh (https://cli.github.com), and what it needs to know of the repository.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

title='The data was refused'
node "$(dirname "$0")/describe-refusal.mjs" "$work/report.json" > "$work/issue.md"
open=$(gh issue list --state open --limit 200 --json number,title \
  --jq "[.[] | select(.title == \"$title\")][0].number // empty")
if [ -n "$open" ]; then
  gh issue comment "$open" --body-file "$work/issue.md"
else
  gh issue create --title "$title" --body-file "$work/issue.md"
fi
