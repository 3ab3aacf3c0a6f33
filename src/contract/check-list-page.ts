/** Checks a served list page against the contract: the page itself, and every record on it. */

import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { parseJson, show } from './parse.ts';
import { type LinkBase, listUrl, recordUrl } from './paths.ts';
import { pageSchemas, servedSchemas } from './served.ts';
import { nextWindow, previousWindow, type Window } from './windows.ts';

/** Kind → a list page whose records are not checked yet. */
const envelopeSchemas = mapKinds((kind) => pageSchemas[kind].extend({ results: z.array(z.unknown()) }));

/** A record on a list page. */
export interface ListedRecord {
  readonly id: number;
  readonly slug: string;
  /** Compact JSON without `url`. */
  readonly json: string;
  /** Compact JSON as the record's own URL has to serve it. */
  readonly served: string;
}

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
export function checkListPage(text: string, expected: ExpectedPage, report: Report): ListedRecord[] {
  const { kind, window, count, linkBase, after } = expected;
  const envelope = readAs(envelopeSchemas[kind], text, report);
  if (!envelope) return [];
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const size = Math.max(0, Math.min(window.limit, count - window.offset));
  compare('count', envelope.count, count, report);
  compare('next', envelope.next, next && listUrl(linkBase, kind, next), report);
  compare('previous', envelope.previous, previous && listUrl(linkBase, kind, previous), report);
  compare('the number of results', envelope.results.length, size, report);

  const records: ListedRecord[] = [];
  for (const [at, result] of envelope.results.slice(0, size).entries()) {
    const served = JSON.stringify(result);
    const record = readAs(servedSchemas[kind], served, (problem) => report(`results[${at}]: ${problem}`));
    if (!record) continue;
    const before = records.at(-1)?.id ?? after;
    if (record.id <= before)
      report(`results[${at}]: got id ${record.id} after ${before}, expected ascending ids`);
    const { url, ...data } = record;
    compare(`results[${at}].url`, url, recordUrl(linkBase, kind, data.slug), report);
    records.push({ id: data.id, slug: data.slug, json: JSON.stringify(data), served });
  }
  return records;
}

/** Parses compact JSON whose keys are in the schema's order. */
function readAs<S extends z.ZodObject>(schema: S, text: string, report: Report): z.infer<S> | undefined {
  const value = parseJson(text);
  if (value === undefined) {
    report(`got ${show(text)}, expected JSON`);
    return undefined;
  }
  if (JSON.stringify(value) !== text) report('is not compact JSON');
  const result = schema.safeParse(value);
  if (!result.success) {
    for (const issue of result.error.issues) report(`${issue.path.join('.') || 'value'}: ${issue.message}`);
    return undefined;
  }
  const keys = Object.keys(value as object).join(', ');
  compare('the order of keys', keys, Object.keys(schema.shape).join(', '), report);
  return result.data;
}

function compare(what: string, got: unknown, expected: unknown, report: Report): void {
  if (got !== expected) report(`got ${what} ${show(got)}, expected ${show(expected)}`);
}
