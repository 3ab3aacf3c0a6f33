/**
 * Records and list pages with their places in the site, of the snapshot that lies
 * beside this file.
 */

import { readFileSync } from 'node:fs';

const SITE = 'http://localhost:3000/api/gamedata';
const PAGE_SIZE = 100;

export default ['move', 'item'].flatMap((kind) => {
  const lines = readFileSync(
    new URL(`${kind}.ndjson`, import.meta.url),
    'utf8',
  ).split('\n');
  const records = lines.slice(0, -1).map((line) => {
    const record = JSON.parse(line);
    return { url: `${SITE}/${kind}/${record.slug}/?format=api`, ...record };
  });
  const link = (offset) =>
    offset < 0 || offset >= records.length
      ? null
      : `${SITE}/${kind}/?format=api&limit=${PAGE_SIZE}&offset=${offset}`;
  const pages = Array.from(
    { length: Math.ceil(records.length / PAGE_SIZE) },
    (_, page) => {
      const offset = page * PAGE_SIZE;
      const [next, previous] = [link(offset + PAGE_SIZE), link(offset - PAGE_SIZE)];
      const results = records.slice(offset, offset + PAGE_SIZE);
      const body = { count: records.length, next, previous, results };
      return { folder: `${kind}/${offset === 0 ? '' : `offset/${offset}/`}`, body };
    },
  );
  return [
    ...records.map((body) => ({ folder: `${kind}/${body.slug}/`, body })),
    ...pages,
  ];
});
