/** An examination: what the checks of a deployment know of it. */

import type { LinkBase } from '../contract/addresses.ts';
import type { ListedRecord } from '../contract/check.ts';
import type { Kind } from '../contract/kinds.ts';
import type { Probe, Question, Reply } from './probe.ts';

/** A list as the crawl found it: from then on the yardstick for every window of it. */
export interface CrawledList {
  readonly count: number;
  readonly records: readonly ListedRecord[];
}

export interface Examination {
  readonly probe: Probe;
  /** What the deployment's links have to begin and end with. */
  readonly linkBase: LinkBase;
  readonly lists: Readonly<Record<Kind, CrawledList>>;
}

/** One clause's check. It reports to the clause it is listed under. */
export type Check = (
  examination: Examination,
  fail: (reply: Reply, problem: string) => void,
) => Promise<void>;

/** Asks all questions at once, as far as the probe allows, and looks at each answer. */
export async function askAll<Q extends Question>(
  { probe }: Pick<Examination, 'probe'>,
  questions: readonly Q[],
  look: (reply: Reply, question: Q) => void,
): Promise<void> {
  await Promise.all(questions.map(async (question) => look(await probe.ask(question), question)));
}

/** What is wrong with a refusal: its status, its type or its body. */
export function refusalProblem(reply: Reply, statuses: readonly number[]): string | undefined {
  if (!statuses.includes(reply.status))
    return `got status ${reply.status}, expected ${statuses.join(' or ')}`;
  const { json } = reply;
  const detail = typeof json === 'object' && json !== null && 'detail' in json ? json.detail : undefined;
  if (!isJsonType(reply))
    return `got Content-Type ${reply.header('content-type')}, expected application/json`;
  return typeof detail === 'string' ? undefined : 'got a body without a detail, expected {"detail": "…"}';
}

/** `application/json`, with or without a charset of UTF-8. */
export function isJsonType(reply: Reply): boolean {
  return /^application\/json(?:; ?charset=utf-8)?$/i.test(reply.header('content-type') ?? '');
}
