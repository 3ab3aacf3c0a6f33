#!/usr/bin/env bash
# Opens an issue. If the repository has no issues, as in forks, fails with a summary and
# an annotation instead. Requires gh and the permissions `actions: write` and
# `issues: write`.
#
#   report.sh <outcome of the refresh>
#       reports why the data was refused, or otherwise whether the last success is older
#       than a week
#   report.sh proposal <base> <head>
#       gives the link that opens a pull request, because the workflow may not open it
set -euo pipefail

days=7
work=.cache/refresh
mkdir -p "$work"

# Prints the number of the open issue with a title.
open_issue() {
  gh issue list --state open --limit 200 --json number,title \
    --jq "[.[] | select(.title == \"$1\")][0].number // empty"
}

has_issues() { [ "$(gh api 'repos/{owner}/{repo}' --jq .has_issues)" = true ]; }

# Fails with the text of the issue. An annotation is a single line, so line ends are
# escaped.
annotate() {
  local text
  { printf '## %s\n\n' "$1"; cat "$work/issue.md"; } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  text=$(sed 's/%/%25/g; s/\r/%0D/g' "$work/issue.md")
  echo "::error title=$1::${text//$'\n'/%0A}"
  exit 1
}

# Opens an issue with the text in issue.md: `report <title> comment|edit|keep`. If an
# issue with this title is already open, adds the text as a comment, replaces the text
# of the issue, or keeps the issue as it is.
report() {
  local title=$1 action=$2 number
  has_issues || annotate "$title"
  number=$(open_issue "$title")
  if [ -z "$number" ]; then
    gh issue create --title "$title" --body-file "$work/issue.md"
  elif [ "$action" = keep ]; then
    echo 'an issue is already open'
  else
    gh issue "$action" "$number" --body-file "$work/issue.md"
  fi
}

# Indents lines, because GitHub would otherwise read markup, mentions and commands in
# text from elsewhere.
indent() { sed 's/^/    /' "$@"; }

report_refusal() {
  local title='The data was refused' message hint
  # Prints a field without line breaks and other control characters, because the job
  # that wrote the report may be compromised.
  error() {
    node -p 'String(JSON.parse(fs.readFileSync(process.argv[1])).error[process.argv[2]] ?? "").replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")' \
      "$work/report.json" "$1"
  }
  message=$(error message | indent)
  hint=$(error hint)
  cat > "$work/issue.md" <<END
The upstream's data was refused. The snapshot and the published site are unchanged.

$message

${hint:+$hint

}If this message names options, run the workflow manually with these options.

${GITHUB_RUN_ID:+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID}
END
  report "$title" comment
}

report_staleness() {
  local title='The data is no longer refreshed' last since age
  last=$(gh run list --workflow refresh.yml --branch "$GITHUB_REF_NAME" --status success --limit 1 --json createdAt --jq '.[0].createdAt // empty')
  # Before the first success, the age of the workflow counts.
  since=${last:-$(gh api "$workflow" --jq .created_at)}
  age=$(node -p 'Math.floor((Date.now() - Date.parse(process.argv[1])) / 86_400_000)' "$since")
  echo "the last successful refresh is $age days old"
  if [ "$age" -le "$days" ]; then return; fi
  cat > "$work/issue.md" <<END
The refresh has not succeeded since ${last:-it was set up, $since}. The published site is unchanged.

See the failed runs: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/workflows/refresh.yml
END
  report "$title" keep
}

report_proposal() {
  local title='The refreshed data waits for a pull request' base=$1 head=$2
  cat > "$work/issue.md" <<END
New data is on the branch \`$head\`, but the workflow could not open a pull request:

$(indent "$work/proposal-error.txt")

1. Open the pull request: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/compare/$base...$head?expand=1
2. Merge it and close this issue. Until then, each refresh replaces the branch.

To let the workflow open pull requests, select "Allow GitHub Actions to create and approve pull requests" in Settings → Actions → General.

$(head -n 1 "$work/message.txt" | indent)
END
  report "$title" edit
}

if [ "${1:-}" = proposal ]; then
  report_proposal "$2" "$3"
  exit 0
fi
# GitHub disables schedules after 60 days without a commit.
workflow="repos/$GITHUB_REPOSITORY/actions/workflows/refresh.yml"
gh api --silent --method PUT "$workflow/enable"
case ${1:-} in
  refused) report_refusal ;;
  *) report_staleness ;;
esac
