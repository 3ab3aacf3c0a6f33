/** Checks a served list page against the contract: the page itself, and every record on it. */

import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { parseJson, show } from './parse.ts';
import { type LinkBase, listPage, recordUrl } from './paths.ts';
import { pageSchemas, type ServedRecord, servedSchemas } from './served.ts';
import type { Window } from './windows.ts';

/** Kind → a list page whose records are not checked yet. */
const envelopeSchemas = mapKinds((kind) => pageSchemas[kind].extend({ results: z.array(z.unknown()) }));

export interface ExpectedPage {
  readonly kind: Kind;
  readonly window: Window<number>;
  readonly count: number;
  readonly linkBase: LinkBase;
  /** The last id of the preceding page; 0 if there is none. */
  readonly after: number;
}

type Report = (problem: string) => void;

/**
 * Checks one list page: compact JSON, its fields and links, every record and their order.
 *
 * @param report called with a sentence for each problem
 * @returns the valid records
 */
export function checkListPage(text: string, expected: ExpectedPage, report: Report): ServedRecord[] {
  const { kind, window, count, linkBase, after } = expected;
  const value = parseJson(text);
  if (value === undefined) {
    report(`got ${show(text)}, expected JSON`);
    return [];
  }
  if (JSON.stringify(value) !== text) report('is not compact JSON');
  const envelope = readObject(envelopeSchemas[kind], value, report);
  if (!envelope) return [];
  const { next, previous } = listPage(linkBase, kind, { window, count, results: [] });
  const size = Math.max(0, Math.min(window.limit, count - window.offset));
  compare('count', envelope.count, count, report);
  compare('next', envelope.next, next, report);
  compare('previous', envelope.previous, previous, report);
  compare('the number of results', envelope.results.length, size, report);

  const records: ServedRecord[] = [];
  for (const [at, result] of envelope.results.slice(0, size).entries()) {
    const record = readObject(servedSchemas[kind], result, (problem) => report(`results[${at}]: ${problem}`));
    if (!record) continue;
    const before = records.at(-1)?.id ?? after;
    if (record.id <= before)
      report(`results[${at}]: got id ${record.id} after ${before}, expected ascending ids`);
    compare(`results[${at}].url`, record.url, recordUrl(linkBase, kind, record.slug), report);
    records.push(record);
  }
  return records;
}

/** Parses an object whose keys are in the schema's order. */
function readObject<S extends z.ZodObject>(
  schema: S,
  value: unknown,
  report: Report,
): z.infer<S> | undefined {
  const { data, error } = schema.safeParse(value);
  for (const issue of error?.issues ?? []) report(`${issue.path.join('.') || 'value'}: ${issue.message}`);
  if (data) {
    const keys = Object.keys(value as object).join(', ');
    compare('the order of keys', keys, Object.keys(data).join(', '), report);
  }
  return data;
}

function compare(what: string, got: unknown, expected: unknown, report: Report): void {
  if (got !== expected) report(`got ${what} ${show(got)}, expected ${show(expected)}`);
}
