#!/usr/bin/env bash
# With --push, commits data/ with the list of changes, pushes the commit, and calls NETLIFY_BUILD_HOOK if it is set. If the branch is
# protected, opens or updates a pull request, which requires gh and the permission `pull-requests: write`.
set -euo pipefail

message=.cache/refresh/message.txt
if [ ! -s "$message" ]; then
  echo 'nothing to commit: the data is unchanged'
  exit 0
fi
if [ "${1:-}" != --push ]; then
  echo "usage: $0 --push"
  echo 'Commits data/ with this message, and pushes the commit:'
  cat "$message"
  exit 0
fi
branch=$(git symbolic-ref --short HEAD)

# Reports `pushed=false`, because there is no deployment to verify.
propose() {
  local proposal=refresh-data
  git push --quiet --force origin "HEAD:refs/heads/$proposal"
  if [ -z "$(gh pr list --head "$proposal" --state open --json number --jq '.[0].number // empty')" ]; then
    sed 's/^/    /' "$message" > .cache/refresh/proposal.md
    gh pr create --base "$branch" --head "$proposal" --title 'Refresh the data' --body-file .cache/refresh/proposal.md
  fi
  echo 'pushed=false' >> "${GITHUB_OUTPUT:-/dev/null}"
  echo "$branch is protected: opened a pull request"
}

git add --all -- data
if git diff --cached --quiet -- data; then
  echo 'nothing to commit: the repository already has this data'
else
  if ! git config user.email > /dev/null; then
    export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
    export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  fi
  git commit --quiet --cleanup=verbatim --file "$message" -- data
  # Another commit may have been pushed in the meantime.
  git push --quiet origin "HEAD:$branch" || {
    git pull --quiet --rebase origin "$branch"
    git push --quiet origin "HEAD:$branch" || { propose; exit 0; }
  }
fi

if [ -z "${NETLIFY_BUILD_HOOK:-}" ]; then exit 0; fi
# The hook's URL is a secret, so curl reads it from standard input.
printf 'url = "%s"\n' "$NETLIFY_BUILD_HOOK" |
  curl --config - --silent --fail --request POST --data '' --max-time 60 --retry 3 --output /dev/null ||
  { echo 'the build hook failed' >&2; exit 1; }
