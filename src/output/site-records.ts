/** The records of a built site, read back from its list pages. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pageFile } from '../contract/addresses.ts';
import { checkPage, type ListedRecord } from '../contract/check.ts';
import type { EncodedRecords } from '../contract/data-set.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import { digestRecords } from '../digest.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';

/**
 * Reads every record of a built site.
 *
 * @throws OutputError where a list page cannot be read
 * @throws DataError where one is not as it was built, or the records are not those of the site's digest
 */
export function readSiteRecords(folder: string, meta: Meta): EncodedRecords {
  const records = mapKinds((kind) => readKind(folder, kind, meta));
  const digest = digestRecords(records);
  if (digest !== meta.digest)
    throw new DataError(`got ${digest}: expected ${meta.digest}, as the site says`, {
      record: folder,
      field: 'digest',
    });
  return records;
}

function readKind(folder: string, kind: Kind, meta: Meta): ListedRecord[] {
  const linkBase = { baseUrl: meta.base_url, links: meta.links };
  const count = meta.counts[kind];
  const records: ListedRecord[] = [];
  for (const offset of pageOffsets(count)) {
    const file = pageFile(kind, offset);
    const window = { limit: PAGE_SIZE, offset };
    const after = records.at(-1)?.id ?? 0;
    const page = { kind, window, count, linkBase, after };
    records.push(
      ...checkPage(readPage(folder, file), page, (problem) => {
        throw new DataError(problem, { record: file });
      }),
    );
  }
  return records;
}

function readPage(folder: string, file: string): string {
  try {
    return readFileSync(path.join(folder, file), 'utf8');
  } catch (cause) {
    throw new OutputError(`cannot be read (${errorCode(cause)})`, path.join(folder, file), { cause });
  }
}
