#!/usr/bin/env bash
# Shows that no install script is needed, of ours or of any package: neither to build a clean checkout, nor to run what
# is published. Works in a temporary folder, and leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

git ls-files -z | tar cz --null -T - | tar xz -C "$folder" --one-top-level=checkout
cd "$folder/checkout"
# An environment of production, and another layout of node_modules, change nothing.
NODE_ENV=production npm ci --ignore-scripts --install-strategy=linked --no-audit --no-fund
npm run compile
node scripts/gamedata.mjs build --source snapshot --quiet --out "$folder/from-checkout"

npm pack --ignore-scripts --silent --pack-destination "$folder"
mkdir "$folder/user"
cd "$folder/user"
npm init --yes > /dev/null
npm install --ignore-scripts --no-audit --no-fund "$folder"/gamedata-*.tgz
node_modules/.bin/gamedata build --source snapshot --quiet --out "$folder/from-package"

diff --recursive "$folder/from-checkout" "$folder/from-package"
echo 'no install script is needed: a checkout and the package build the same site without any'
