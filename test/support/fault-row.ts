/** A row of the table of faults: what it is, what it makes of a response, and what a build makes of that. */

import type { ServerResponse } from 'node:http';
import type { Kind } from '../../src/contract/kinds.ts';
import type { Answer } from './upstream-data.ts';

/** Which answer is spoilt: a list, or one record of it. */
export interface Place {
  readonly name: string;
  readonly kind: Kind;
  /** Undefined for the list. */
  readonly id?: number;
}

/** What a fault may use: the request's answer, and what would have been right. */
export interface Exchange {
  readonly response: ServerResponse;
  /** The right body. */
  readonly own: string;
  readonly conditional: boolean;
  readonly place: Place;
  readonly answers: Record<Kind, Answer[]>;
  /** Ends the whole upstream. */
  stop(): void;
}

/** What is known of the place when an error about it is expected. */
export interface Told {
  readonly url: string;
  readonly kind: string;
  readonly slug: string;
  readonly id: number | string;
  /** The longest time for a response, in seconds. */
  readonly seconds: number;
}

type Problem = (told: Told) => string;

/** Groups of faults → their titles in FAULTS.md. */
export const groupTitles = {
  connection: 'Connections',
  status: 'Statuses',
  body: 'Bodies',
  cache: 'Conditional requests',
  edition: 'Editions',
  list: 'Lists',
  id: 'Ids',
  key: 'Keys',
  slug: 'Slugs',
  name: 'Names',
  icon: 'Icons',
} as const;
export type Group = keyof typeof groupTitles;

export interface Fault {
  readonly name: string;
  readonly group: Group;
  /** Answers in its own way. */
  readonly answer?: (exchange: Exchange) => unknown;
  /** Changes the record itself, and so its list. */
  readonly spoil?: (record: Answer) => unknown;
  /** The address of an upstream that is not there at all. */
  readonly address?: string;
  readonly at: 'anywhere' | 'first list' | 'lists' | 'records' | 'items';
  readonly retried: boolean;
  /** An error's code, and its message without its place: `<…>` stands for a word, `like` for other words on other machines. */
  readonly outcome:
    | { readonly code: 'upstream' | 'data' | 'guard'; readonly problem: Problem; readonly like?: RegExp }
    | { readonly code: 'built'; readonly says: string; readonly holds?: string };
  /** Which of the client's time-outs it takes. */
  readonly slow?: 'parts' | 'whole';
  /** The upstream names editions, and deploys a new one before the build that meets the fault. */
  readonly editions?: boolean;
  /** It is told of the upstream as a whole. */
  readonly everywhere?: boolean;
  /** It is not met under the address past the caches on the way, one of which holds it. */
  readonly held?: boolean;
  /** The client has no ETag to send. */
  readonly uncached?: boolean;
  /** Cannot be over by itself. */
  readonly lasting?: boolean;
}

/** A fault of its group: where its group is, and retried as its group is, unless it says so. */
export type Row = Omit<Fault, 'group' | 'at' | 'retried'> & Partial<Pick<Fault, 'at' | 'retried'>>;
export type Outcome = Fault['outcome'];

export const row = (
  name: string,
  answer: NonNullable<Fault['answer']>,
  outcome: Outcome,
  more: Partial<Row> = {},
): Row => ({ name, answer, outcome, ...more });
export const spoilt = (name: string, spoil: NonNullable<Fault['spoil']>, outcome: Outcome): Row => ({
  name,
  spoil,
  outcome,
});

const failing =
  (code: 'upstream' | 'data' | 'guard') =>
  (problem: string | Problem, like?: RegExp): Outcome => ({
    code,
    problem: typeof problem === 'string' ? () => problem : problem,
    ...(like && { like }),
  });
export const upstream = failing('upstream');
export const data = failing('data');
export const guard = failing('guard');
export const built = (says: string, holds?: string): Outcome => ({
  code: 'built',
  says,
  ...(holds && { holds }),
});
export const same = built('as without it');

export const JSON_TYPE = { 'content-type': 'application/json' };
export const send =
  (status: number, body: string | Buffer = '{}', headers: Record<string, string> = JSON_TYPE) =>
  ({ response }: Exchange) =>
    response.writeHead(status, headers).end(body);

/** The right text, changed. */
export const retell =
  (change: (own: string) => string | Buffer, headers: Record<string, string> = {}) =>
  ({ response, own }: Exchange) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(change(own));
