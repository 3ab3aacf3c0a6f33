/** The records of a built site, read back from its list pages. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { pageFile } from '../contract/addresses.ts';
import type { EncodedRecord, EncodedRecords } from '../contract/data-set.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import { pageOffsets } from '../contract/windows.ts';
import { digestRecords } from '../digest.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';

/** As much of a page as is needed: that its records are the very ones that were built, the digest says. */
const pageSchema = z.looseObject({ results: z.array(z.custom<Served>(isServed, 'expected a record')) });

/** Taken as it is, with its keys in their order. */
interface Served {
  readonly url: string;
  readonly id: number;
  readonly slug: string;
}

function isServed(value: unknown): boolean {
  const { url, id, slug } = (value ?? {}) as Partial<Record<keyof Served, unknown>>;
  return typeof url === 'string' && Number.isInteger(id) && typeof slug === 'string';
}

/**
 * Reads every record of a built site.
 *
 * @throws OutputError where a list page cannot be read
 * @throws DataError where one is no list page, or the records are not those of the site's digest
 */
export function readSiteRecords(folder: string, { counts, digest }: Meta): EncodedRecords {
  const records = mapKinds((kind) => readKind(folder, kind, counts[kind]));
  const found = digestRecords(records);
  if (found !== digest) {
    const location = { record: folder, field: 'digest' };
    throw new DataError(`got ${found}: expected ${digest}, as the site says`, location);
  }
  return records;
}

function readKind(folder: string, kind: Kind, count: number): EncodedRecord[] {
  const records: EncodedRecord[] = [];
  for (const offset of pageOffsets(count)) {
    const file = pageFile(kind, offset);
    for (const { url: _, ...record } of parse(pageSchema, readJson(folder, file), { record: file }).results)
      records.push({ id: record.id, slug: record.slug, json: JSON.stringify(record) });
  }
  return records;
}

function readJson(folder: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new DataError(`is not JSON: ${cause.message}`, { record: file }, { cause });
    throw new OutputError(`cannot be read (${errorCode(cause)})`, path.join(folder, file), { cause });
  }
}
