#!/usr/bin/env bash
# Checks that a checkout and the published package work without install scripts. Also
# checks that the published types compile in strict mode.
set -euo pipefail
cd "$(dirname "$0")/.."

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

git ls-files -z | tar cz --null -T - | tar xz -C "$folder" --one-top-level=checkout
cd "$folder/checkout"
# Hosting platforms set NODE_ENV, and other package managers link node_modules.
NODE_ENV=production npm ci --ignore-scripts --install-strategy=linked --no-audit --no-fund
# Packing compiles, because a clone contains no dist/.
npm pack --silent --pack-destination "$folder"
node scripts/gamedata.mjs build --source snapshot --quiet --out "$folder/from-checkout"

mkdir "$folder/user"
cd "$folder/user"
npm init --yes > /dev/null
npm install --ignore-scripts --no-audit --no-fund "$folder"/gamedata-*.tgz
node_modules/.bin/gamedata build --source snapshot --quiet --out "$folder/from-package"

diff --recursive "$folder/from-checkout" "$folder/from-package"
echo 'no install script is needed: a checkout and the package build the same site without any'

npm install --ignore-scripts --no-audit --no-fund @types/node@20 typescript5@npm:typescript@5.9.3 typescript7@npm:typescript@7.0.2
cat > user.mts << 'EOF'
import { build, GamedataError } from 'gamedata';
import type { Move } from 'gamedata/types';

export const name = ({ name }: Move): string => name;
try {
  const { changed, data } = await build({ source: 'snapshot', out: 'site' });
  console.log(changed, data.counts.move);
} catch (error) {
  if (error instanceof GamedataError) console.error(error.code, error.message, error.hint);
}
EOF
for typescript in typescript5 typescript7; do
  for resolution in bundler nodenext; do
    module=$([ "$resolution" = bundler ] && echo esnext || echo nodenext)
    node "node_modules/$typescript/bin/tsc" --noEmit --strict --exactOptionalPropertyTypes --types node --target es2022 \
      --module "$module" --moduleResolution "$resolution" user.mts
  done
done
echo 'the published types compile'
