#!/usr/bin/env bash
# With --push: commits data/, and nothing else, with what changed as its message, and pushes it. Without it, nothing happens.
set -euo pipefail
. "$(dirname "$0")/settings.sh"

if [ ! -s "$work/message.txt" ]; then
  echo 'nothing to commit: the data has not changed'
  exit 0
fi
if [ "${1:-}" != --push ]; then
  echo "usage: $0 --push"
  echo 'Commits data/ with this message, and pushes the commit:'
  cat "$work/message.txt"
  exit 0
fi
branch=$(git symbolic-ref --short HEAD)
git add --all -- "$data"
if git diff --cached --quiet -- "$data"; then
  echo 'nothing to commit: the repository has this data already'
  exit 0
fi
if ! git config user.email > /dev/null; then
  export GIT_AUTHOR_NAME='github-actions[bot]' GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
  export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
fi
git commit --quiet --cleanup=verbatim --file "$work/message.txt" -- "$data"
# Somebody may have pushed something else meanwhile.
git push --quiet origin "HEAD:$branch" || {
  git pull --quiet --rebase origin "$branch"
  git push --quiet origin "HEAD:$branch"
}
