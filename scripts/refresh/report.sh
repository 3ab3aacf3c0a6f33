#!/usr/bin/env bash
# Opens issues: `report.sh refused` one that says why the upstream's data was refused, `report.sh stale` one if the last successful
# refresh is older than a week. The latter keeps the schedule alive, too: GitHub disables it after 60 days without a commit, unless
# the workflow is enabled again. Where issues are off, as in forks by default, both fail with a summary and an annotation of the run.
# Needs gh (https://cli.github.com) and the permissions `actions: write` and `issues: write`.
set -euo pipefail

days=7
work=.cache/refresh
mkdir -p "$work"

# The number of the open issue with a title; nothing if there is none.
open_issue() {
  gh issue list --state open --limit 200 --json number,title \
    --jq "[.[] | select(.title == \"$1\")][0].number // empty"
}

has_issues() { [ "$(gh api 'repos/{owner}/{repo}' --jq .has_issues)" = true ]; }

# Fails with what an issue would say. In an annotation, which is a command of the log, line ends are escaped.
annotate() {
  local text
  { printf '## %s\n\n' "$1"; cat "$work/issue.md"; } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  text=$(sed 's/%/%25/g; s/\r/%0D/g' "$work/issue.md")
  echo "::error title=$1::${text//$'\n'/%0A}"
  exit 1
}

report_refusal() {
  local title='The data was refused' message hint open
  error() { node -p 'JSON.parse(fs.readFileSync(process.argv[1])).error[process.argv[2]] ?? ""' "$work/report.json" "$1"; }
  # What comes from the upstream is shown as it is: indented, so that nothing in it is markup, a mention or an order.
  message=$(error message | sed 's/^/    /')
  hint=$(error hint)
  cat > "$work/issue.md" <<END
The upstream was read, and its data is not believed. The snapshot, and what is published, are as they were.

$message

${hint:+$hint

}The workflow, run by hand, takes these options: \`allow_missing\` (records that are gone for good, or were renamed), \`skip\` (records
that cannot be read) and \`max_shrink\`.

${GITHUB_RUN_ID:+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID}
END
  has_issues || annotate "$title"
  open=$(open_issue "$title")
  if [ -n "$open" ]; then
    gh issue comment "$open" --body-file "$work/issue.md"
  else
    gh issue create --title "$title" --body-file "$work/issue.md"
  fi
}

report_staleness() {
  local title='The data is no longer refreshed' workflow last since age
  workflow="repos/$GITHUB_REPOSITORY/actions/workflows/refresh.yml"
  gh api --silent --method PUT "$workflow/enable"
  last=$(gh run list --workflow refresh.yml --branch "$GITHUB_REF_NAME" --status success --limit 1 --json createdAt --jq '.[0].createdAt // empty')
  # Before the first success, the age of the workflow counts.
  since=${last:-$(gh api "$workflow" --jq .created_at)}
  age=$(node -p 'Math.floor((Date.now() - Date.parse(process.argv[1])) / 86_400_000)' "$since")
  echo "the last successful refresh is $age days old"
  if [ "$age" -le "$days" ]; then return; fi
  cat > "$work/issue.md" <<END
The refresh has not succeeded since ${last:-it was set up, $since}. The published site stays as it was.

Failed runs say why: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/workflows/refresh.yml
END
  has_issues || annotate "$title"
  if [ -n "$(open_issue "$title")" ]; then
    echo 'an issue is open already'
    return
  fi
  gh issue create --title "$title" --body-file "$work/issue.md"
}

case ${1:-} in
  refused) report_refusal ;;
  stale) report_staleness ;;
  *) echo "usage: $0 refused|stale" >&2; exit 2 ;;
esac
