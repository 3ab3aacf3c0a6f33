#!/usr/bin/env bash
# Packs the package, which compiles it. Also packs the site of the bundled data, as an archive with a
# checksum.
set -euo pipefail

work=${RELEASE_WORK:-.cache/release}
rm -rf "$work"
mkdir -p "$work"
npm pack --silent --pack-destination "$work"
node scripts/gamedata.mjs build --source snapshot --archive --out "$work/site"
node scripts/gamedata.mjs verify "$work/site"
mv "$work"/site/download/gamedata.{tar.gz,sha256} "$work"
rm -rf "$work/site"
ls -l "$work"
