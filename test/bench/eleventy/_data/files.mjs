/**
 * The records and list pages of the snapshot that lies beside this file, with the
 * folder of each in the site. The bodies have the same bytes as gamedata's, so that
 * both programs do the same work.
 */

import { readFileSync } from 'node:fs';

const SITE = 'http://localhost:3000/api/gamedata';
const PAGE_SIZE = 100;

const files = [];
for (const kind of ['move', 'item']) {
  const records = readRecords(kind);
  for (const record of records) {
    files.push({ folder: `${kind}/${record.slug}/`, body: record });
  }
  for (let offset = 0; offset < records.length; offset += PAGE_SIZE) {
    // The first page lies in the folder of the kind itself.
    const page = offset === 0 ? '' : `offset/${offset}/`;
    const body = createListPage(kind, records, offset);
    files.push({ folder: `${kind}/${page}`, body });
  }
}

export default files;

function readRecords(kind) {
  const text = readFileSync(new URL(`${kind}.ndjson`, import.meta.url), 'utf8');
  const records = [];
  for (const line of text.trimEnd().split('\n')) {
    const record = JSON.parse(line);
    // The URL is the first field of a record.
    const url = `${SITE}/${kind}/${record.slug}/?format=api`;
    records.push({ url, ...record });
  }
  return records;
}

function createListPage(kind, records, offset) {
  const next = createPageLink(kind, records, offset + PAGE_SIZE);
  const previous = createPageLink(kind, records, offset - PAGE_SIZE);
  const results = records.slice(offset, offset + PAGE_SIZE);
  return { count: records.length, next, previous, results };
}

/** Returns null if there is no page at the offset. */
function createPageLink(kind, records, offset) {
  if (offset < 0 || offset >= records.length) return null;
  return `${SITE}/${kind}/?format=api&limit=${PAGE_SIZE}&offset=${offset}`;
}
