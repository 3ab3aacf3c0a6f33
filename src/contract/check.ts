/** Checks of served JSON against the contract: what is wrong with a list page or with the records on it. */

import * as z from 'zod';
import { type LinkBase, listUrl, recordUrl } from './addresses.ts';
import type { EncodedRecord } from './data-set.ts';
import { type Kind, mapKinds } from './kinds.ts';
import { show } from './parse.ts';
import { pageSchemas, servedSchemas } from './served.ts';
import { nextWindow, previousWindow, type Window } from './windows.ts';

/** Kind → a list page whose records are still to be looked at, one at a time. */
const envelopeSchemas = mapKinds((kind) => pageSchemas[kind].extend({ results: z.array(z.unknown()) }));

/** A record on a list page. `json` is without its `url`, `served` the text that the record's own address has to answer. */
export interface ListedRecord extends EncodedRecord {
  readonly served: string;
}

export interface ExpectedPage {
  readonly kind: Kind;
  readonly window: Window<number>;
  readonly count: number;
  readonly linkBase: LinkBase;
  /** The last id of the page before; 0 where there is none. */
  readonly after: number;
}

/**
 * Checks one list page: compact JSON, envelope, links, every record and their order.
 *
 * @param problem called with a sentence for each thing that is wrong
 * @returns the records that could be read
 */
export function checkPage(
  text: string,
  expected: ExpectedPage,
  problem: (sentence: string) => void,
): ListedRecord[] {
  const { kind, window, count, linkBase, after } = expected;
  const envelope = readAs(envelopeSchemas[kind], text, problem);
  if (!envelope) return [];
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const size = Math.max(0, Math.min(window.limit, count - window.offset));
  differs('count', envelope.count, count, problem);
  differs('next', envelope.next, next && listUrl(linkBase, kind, next), problem);
  differs('previous', envelope.previous, previous && listUrl(linkBase, kind, previous), problem);
  differs('the number of results', envelope.results.length, size, problem);

  const records: ListedRecord[] = [];
  for (const [at, result] of envelope.results.entries()) {
    const served = JSON.stringify(result);
    const record = readAs(servedSchemas[kind], served, (sentence) => problem(`results[${at}]: ${sentence}`));
    if (!record) continue;
    const before = records.at(-1)?.id ?? after;
    if (record.id <= before)
      problem(`results[${at}]: got id ${record.id} after ${before}, expected rising ids`);
    const { url, ...data } = record;
    differs(`results[${at}].url`, url, recordUrl(linkBase, kind, data.slug), problem);
    records.push({ id: data.id, slug: data.slug, json: JSON.stringify(data), served });
  }
  return records;
}

/** Parses compact JSON whose keys are in the schema's order. */
function readAs<S extends z.ZodObject>(
  schema: S,
  text: string,
  problem: (sentence: string) => void,
): z.infer<S> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    problem(`is not JSON: ${(error as SyntaxError).message}`);
    return undefined;
  }
  if (JSON.stringify(value) !== text) problem('is not compact JSON');
  const result = schema.safeParse(value);
  if (!result.success) {
    for (const issue of result.error.issues)
      problem(`${issue.path.join('.') || 'the whole'}: ${issue.message}`);
    return undefined;
  }
  const keys = Object.keys(value as object).join(', ');
  differs('the order of keys', keys, Object.keys(schema.shape).join(', '), problem);
  return result.data;
}

function differs(what: string, got: unknown, expected: unknown, problem: (sentence: string) => void): void {
  if (got !== expected) problem(`got ${what} ${show(got)}, expected ${show(expected)}`);
}
