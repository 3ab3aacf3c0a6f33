/** The records of a snapshot that lies beside this file, in the form of the site. */

import { readFileSync } from 'node:fs';

const SITE = 'http://localhost:3000/api/gamedata';

export default ['move', 'item'].map((kind) => {
  const lines = readFileSync(new URL(`${kind}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .slice(0, -1);
  const records = lines.map((line) => {
    const record = JSON.parse(line);
    return { url: `${SITE}/${kind}/${record.slug}/?format=api`, ...record };
  });
  return { kind, site: SITE, records };
});
