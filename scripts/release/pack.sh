#!/usr/bin/env bash
# Packs what a release has: the package, and the site of the bundled data as archives with their checksums.
set -euo pipefail

work=${RELEASE_WORK:-.cache/release}
rm -rf "$work"
mkdir -p "$work"
npm pack --silent --pack-destination "$work"
node scripts/gamedata.mjs build --source snapshot --out "$work/site" --verify
node scripts/gamedata.mjs archive "$work/site" --out "$work"
rm -rf "$work/site"
ls -l "$work"
