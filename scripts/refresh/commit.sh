#!/usr/bin/env bash
# With --push, commits data/ with the list of changes, and pushes the commit. If the
# branch is protected, pushes the commit to the branch refresh-data instead, and opens
# a pull request. A pull request requires gh and the permission
# `pull-requests: write`.
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

# Opens or updates a pull request. Reports `pushed=false`, because there is no
# deployment to verify. By default, GitHub does not let workflows open pull requests.
# In that case, opens an issue with the link that opens the pull request.
propose() {
  local proposal=refresh-data number
  git push --quiet --force origin "HEAD:refs/heads/$proposal"
  echo 'pushed=false' >> "${GITHUB_OUTPUT:-/dev/null}"

  number=$(gh pr list --head "$proposal" --state open --json number --jq '.[0].number // empty')
  if [ -n "$number" ]; then
    echo "$branch is protected: updated the pull request $number"
    return
  fi
  sed 's/^/    /' "$message" > .cache/refresh/proposal.md
  if gh pr create --base "$branch" --head "$proposal" --title 'Refresh the data' --body-file .cache/refresh/proposal.md \
    2> .cache/refresh/proposal-error.txt; then
    echo "$branch is protected: opened a pull request"
    return
  fi
  cat .cache/refresh/proposal-error.txt >&2
  bash scripts/refresh/report.sh proposal "$branch" "$proposal"
}

# We add the files with --force, because a global ignore file may list `data`.
git add --all --force -- data
if git diff --cached --quiet -- data; then
  echo 'nothing to commit: the repository already has this data'
  exit 0
fi
if ! git config user.email > /dev/null; then
  export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
fi
git commit --quiet --cleanup=verbatim --file "$message" -- data

push() { git push --quiet origin "HEAD:$branch"; }
if push; then exit 0; fi
# Another commit may have been pushed in the meantime.
git pull --quiet --rebase origin "$branch"
if push; then exit 0; fi
propose
