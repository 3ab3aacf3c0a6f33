#!/usr/bin/env bash
# With --publish, publishes the package with its provenance, and creates a release with
# the archive.
set -euo pipefail

work=${RELEASE_WORK:-.cache/release}
if [ "${1:-}" != --publish ]; then
  echo "usage: $0 --publish"
  echo 'Publishes these files:'
  ls "$work"
  exit 0
fi
npm publish --provenance "$work"/gamedata-*.tgz
gh release create "$GITHUB_REF_NAME" --verify-tag --generate-notes "$work"/gamedata*
