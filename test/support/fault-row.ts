/** A row of the table of faults: what an upstream does to a response, and how a build ends. */

import type { ServerResponse } from 'node:http';
import type { Kind } from '../../src/contract/kinds.ts';
import type { Answer } from './upstream-data.ts';

/** The list or the record that has the fault. */
export interface Place {
  readonly name: string;
  readonly kind: Kind;
  /** Undefined for the list. */
  readonly id?: number;
}

export interface Exchange {
  readonly response: ServerResponse;
  /** The correct body. */
  readonly own: string;
  readonly conditional: boolean;
  readonly place: Place;
  readonly answers: Record<Kind, Answer[]>;
  /** Stops the whole upstream. */
  stop(): void;
}

export type Group =
  | 'connection'
  | 'status'
  | 'body'
  | 'cache'
  | 'edition'
  | 'list'
  | 'id'
  | 'key'
  | 'slug'
  | 'name'
  | 'icon';

/**
 * In a problem, `<url>`, `<kind>`, `<slug>` and `<id>` stand for those of the place, and other words in angle brackets for any word.
 * `like` is for messages that differ between machines.
 */
export type Outcome =
  | { readonly code: 'upstream' | 'data' | 'guard'; readonly problem: string; readonly like?: RegExp }
  | { readonly code: 'built'; readonly says: string; readonly holds?: string };

export interface Row {
  readonly name: string;
  readonly answer?: (exchange: Exchange) => unknown;
  /** Changes the record itself, and so its list. */
  readonly spoil?: (record: Answer) => unknown;
  /** The address of an upstream that does not exist. */
  readonly address?: string;
  readonly at?: 'anywhere' | 'first list' | 'lists' | 'records' | 'items';
  readonly retried?: boolean;
  readonly outcome: Outcome;
  /** The time-out of the client that applies. */
  readonly slow?: 'parts' | 'whole';
  /** The upstream has editions, and deploys a new one before the build that meets the fault. */
  readonly editions?: boolean;
  /** The error is about the upstream as a whole. */
  readonly everywhere?: boolean;
  /** Only a cache on the way has the fault. */
  readonly held?: boolean;
  readonly uncached?: boolean;
  /** Cannot end by itself. */
  readonly lasting?: boolean;
}

/** A row with the defaults of its group. */
export type Fault = Row & Required<Pick<Row, 'at' | 'retried'>> & { readonly group: Group };

export const row = (
  name: string,
  answer: NonNullable<Row['answer']>,
  outcome: Outcome,
  more: Partial<Row> = {},
): Row => ({ name, answer, outcome, ...more });
export const spoilt = (name: string, spoil: NonNullable<Row['spoil']>, outcome: Outcome): Row => ({
  ...{ name, spoil, outcome },
});

const failing =
  (code: 'upstream' | 'data' | 'guard') =>
  (problem: string, like?: RegExp): Outcome => ({ code, problem, ...(like && { like }) });
export const [upstream, data, guard] = [failing('upstream'), failing('data'), failing('guard')];
export const built = (says: string, holds?: string): Outcome => ({
  ...{ code: 'built', says },
  ...(holds && { holds }),
});
export const same = built('as without it');

export const JSON_TYPE = { 'content-type': 'application/json' };
export const send =
  (status: number, body: string | Buffer = '{}', headers: Record<string, string> = JSON_TYPE) =>
  ({ response }: Exchange) =>
    response.writeHead(status, headers).end(body);

/** Sends the correct body after a change. */
export const retell =
  (change: (own: string) => string | Buffer, headers: Record<string, string> = {}) =>
  ({ response, own }: Exchange) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(change(own));
