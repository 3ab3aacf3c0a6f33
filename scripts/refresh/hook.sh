#!/usr/bin/env bash
# Calls Netlify's build hook if NETLIFY_BUILD_HOOK is set:
# `hook.sh <outcome of the refresh>`. Unchanged data is deployed again only if the
# previous run of the workflow on this branch failed, because its data may not have
# been deployed. Requires gh and the permission `actions: read`.
set -euo pipefail

# People paste secrets with a line break at the end.
hook=$(node -p 'process.argv[1].trim()' -- "${NETLIFY_BUILD_HOOK:-}")
if [ -z "$hook" ]; then
  echo 'no build hook is set'
  exit 0
fi
if [[ ! $hook =~ ^https?://[^[:space:]\"\\]+$ ]]; then
  echo 'NETLIFY_BUILD_HOOK: expected one URL that starts with https://' >&2
  exit 1
fi

if [ "${1:-}" != changed ]; then
  # The current run is not completed, so this is the run before it.
  previous=$(gh run list --workflow refresh.yml --branch "$GITHUB_REF_NAME" --status completed --limit 1 \
    --json conclusion --jq '.[0].conclusion // "success"')
  if [ "$previous" = success ]; then
    echo 'the data is unchanged'
    exit 0
  fi
  echo "calling the build hook again, because the previous run ended with $previous"
fi

# The hook's URL is a secret, so curl reads it from standard input, and the error is
# printed without the URL.
call_hook() {
  printf 'url = "%s"\n' "$hook" |
    curl --config - --silent --show-error --fail --request POST --data '' --max-time 60 --output /dev/null \
      --retry 3 --retry-all-errors 2>&1
}
if ! error=$(call_hook); then
  echo "the build hook failed: ${error//"$hook"/the URL}" >&2
  exit 1
fi
