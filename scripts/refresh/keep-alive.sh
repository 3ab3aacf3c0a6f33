#!/usr/bin/env bash
# Keeps the schedule alive: GitHub disables it after 60 days without a commit, unless the workflow is enabled again. Opens an
# issue if the last successful refresh is older than a week. Needs the permissions `actions: write` and `issues: write`.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

days=7
title='The data is no longer refreshed'
workflow="repos/$GITHUB_REPOSITORY/actions/workflows/refresh.yml"

gh api --silent --method PUT "$workflow/enable"
last=$(gh run list --workflow refresh.yml --branch main --status success --limit 1 --json createdAt --jq '.[0].createdAt // empty')
# Before the first success, the age of the workflow counts.
since=${last:-$(gh api "$workflow" --jq .created_at)}
age=$(node -p 'Math.floor((Date.now() - Date.parse(process.argv[1])) / 86_400_000)' "$since")
if [ "$age" -le "$days" ]; then
  echo "the last successful refresh is $age days old"
  exit 0
fi
if [ -n "$(open_issue "$title")" ]; then
  echo "the last successful refresh is $age days old: an issue is open already"
  exit 0
fi
mkdir -p "$work"
cat > "$work/stale.md" <<END
The refresh has not succeeded since ${last:-it was set up, $since}. The published site stays as it was.

Failed runs say why: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/workflows/refresh.yml
END
gh issue create --title "$title" --body-file "$work/stale.md"
