#!/usr/bin/env bash
# Opens an issue that says why the upstream's data was refused; if one is open already, it gets a comment.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

title='The data was refused'
node "$(dirname "$0")/describe-refusal.mjs" "$work/report.json" > "$work/issue.md"
open=$(open_issue "$title")
if [ -n "$open" ]; then
  gh issue comment "$open" --body-file "$work/issue.md"
else
  gh issue create --title "$title" --body-file "$work/issue.md"
fi
