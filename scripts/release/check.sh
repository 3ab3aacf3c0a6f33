#!/usr/bin/env bash
# Checks that this commit may be released: its tag, version, placeholders and dependencies.
set -euo pipefail

version=$(node -p 'JSON.parse(fs.readFileSync("package.json")).version')
if [ "v$version" != "${GITHUB_REF_NAME:-}" ]; then
  echo "package.json has version $version: expected the tag v$version, got ${GITHUB_REF_NAME:-none}" >&2
  exit 1
fi
branch=${DEFAULT_BRANCH:-main}
git merge-base --is-ancestor HEAD "origin/$branch" || { echo "$GITHUB_REF_NAME is not on $branch" >&2; exit 1; }
grep -Eq "^## \[?${version//./\\.}\b" CHANGELOG.md || { echo "CHANGELOG.md has no section for $version" >&2; exit 1; }
if grep -n OWNER package.json; then
  echo 'package.json has placeholders: see "Releases" in CONTRIBUTING.md' >&2
  exit 1
fi
npm audit --omit=dev
npm audit signatures
