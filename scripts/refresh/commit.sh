#!/usr/bin/env bash
# With --push: commits data/, and nothing else, with what changed as its message, pushes it, and asks Netlify for a new deploy if
# NETLIFY_BUILD_HOOK has the address of a build hook. If the branch is protected, it opens a pull request instead, or updates the
# open one; that needs gh (https://cli.github.com) and the permission `pull-requests: write`. Without --push, nothing happens.
set -euo pipefail

message=.cache/refresh/message.txt
if [ ! -s "$message" ]; then
  echo 'nothing to commit: the data has not changed'
  exit 0
fi
if [ "${1:-}" != --push ]; then
  echo "usage: $0 --push"
  echo 'Commits data/ with this message, and pushes the commit:'
  cat "$message"
  exit 0
fi
branch=$(git symbolic-ref --short HEAD)

# Nothing is deployed then, and there is nothing to check: the workflow is told.
propose() {
  local proposal=refresh-data
  git push --quiet --force origin "HEAD:refs/heads/$proposal"
  if [ -z "$(gh pr list --head "$proposal" --state open --json number --jq '.[0].number // empty')" ]; then
    sed 's/^/    /' "$message" > .cache/refresh/proposal.md
    gh pr create --base "$branch" --head "$proposal" --title 'Refresh the data' --body-file .cache/refresh/proposal.md
  fi
  echo 'pushed=false' >> "${GITHUB_OUTPUT:-/dev/null}"
  echo "$branch is protected: the data waits in a pull request"
}

git add --all -- data
if git diff --cached --quiet -- data; then
  echo 'nothing to commit: the repository has this data already'
else
  if ! git config user.email > /dev/null; then
    export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
    export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  fi
  git commit --quiet --cleanup=verbatim --file "$message" -- data
  # Somebody may have pushed something else meanwhile.
  git push --quiet origin "HEAD:$branch" || {
    git pull --quiet --rebase origin "$branch"
    git push --quiet origin "HEAD:$branch" || { propose; exit 0; }
  }
fi

if [ -z "${NETLIFY_BUILD_HOOK:-}" ]; then exit 0; fi
# A hook's address is a secret: it is handed over on standard input, and never shown.
printf 'url = "%s"\n' "$NETLIFY_BUILD_HOOK" |
  curl --config - --silent --fail --request POST --data '' --max-time 60 --retry 3 --output /dev/null ||
  { echo 'the build hook was not answered with success' >&2; exit 1; }
