/** A daily refresh over a year in which the upstream is deployed again and again, and a CDN holds its answers for a day. */

import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { UpstreamError } from '../../src/errors.ts';
import { digestOf } from '../support/data-set-versions.ts';
import { editionNumber } from '../support/editions.ts';
import { seeded } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { itemAnswer, moveAnswer, type UpstreamData, upstreamOf } from '../support/upstream-data.ts';
import type { State } from '../support/upstream-server.ts';

const DAYS = 365;
const range = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

/** The upstream after so many deploys: each changes some records, now and then one comes, goes or gets another slug. */
function upstreamAfter(deploys: number): UpstreamData {
  const random = seeded(deploys);
  const move = range(20 + (deploys % 5)).map((id) =>
    moveAnswer(id, {
      name: `move-${id}${id === 7 ? `-${deploys % 3}` : ''}`,
      generation: { name: 'generation', url: `/api/v2/generation/${1 + ((deploys + random.below(3)) % 9)}/` },
    }),
  );
  const item = range(15).map((id) =>
    itemAnswer(id, { cost: deploys, names: names(`Item ${id}, ${deploys}`) }),
  );
  return upstreamOf({ move, item });
}

const names = (name: string) => [{ language: { name: 'en', url: '/api/v2/language/9/' }, name }];

interface Played {
  /** How often a refresh gave one state of the upstream exactly, and how often it was refused. */
  readonly whole: number;
  readonly refused: number;
  /** Refreshes that gave what the upstream never was. */
  readonly mixed: number[];
  readonly requests: number[];
}

/**
 * Refreshes daily; a deploy comes every fourth day or so. Where the upstream names editions, some deploys are in the middle of a
 * refresh, and a CDN holds answers for a day or two.
 */
async function play({ days, hasEditions }: { days: number; hasEditions: boolean }): Promise<Played> {
  const random = seeded(12);
  const folder = temporaryFolder();
  const states: State[] = [];
  const digests = new Set<string>();
  const deploy = (): void => {
    const number = states.length + 1;
    const edition = { ...editionNumber(number), deployed: Date.UTC(2025, 0, number) / 1000 };
    const data = upstreamAfter(number);
    states.push({ data, ...(hasEditions && { edition }) });
    digests.add(digestOf(data));
  };
  deploy();
  /** Address → which state the CDN has of it, and until which day. */
  const held = new Map<string, { state: State; until: number }>();
  let day = 0;
  let deployIn = Number.POSITIVE_INFINITY;
  const server = await serveUpstream(upstreamAfter(1), {
    maxAge: 86_400,
    stateOf({ path: url }) {
      if (--deployIn === 0) deploy();
      const present = states.at(-1) as State;
      const known = held.get(url);
      if (hasEditions && known && known.until > day) return known.state;
      held.set(url, { state: present, until: day + 1 + random.below(2) });
      return present;
    },
  });
  const played = { whole: 0, refused: 0, mixed: [] as number[], requests: [] as number[] };
  for (day = 1; day <= days; day++) {
    if (random.below(4) === 0) deploy();
    deployIn = hasEditions && random.below(10) === 0 ? 1 + random.below(30) : Number.POSITIVE_INFINITY;
    const sent = server.log.length;
    try {
      const { digest } = await snapshot({
        source: 'rest',
        upstream: server.url,
        data: path.join(folder, 'data'),
        cache: path.join(folder, 'cache'),
        maxShrink: 100,
        concurrency: 4,
        retries: 0,
      });
      if (digests.has(digest)) played.whole++;
      else played.mixed.push(day);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      played.refused++;
    }
    played.requests.push(server.log.length - sent);
  }
  return played;
}

describe('a daily refresh over a year', () => {
  it('never mixes two editions, whatever a CDN still holds', async () => {
    const { whole, refused, mixed, requests } = await play({ days: DAYS, hasEditions: true });
    expect(mixed).toEqual([]);
    expect(whole).toBeGreaterThan(DAYS * 0.9);
    expect(whole + refused).toBe(DAYS);
    // On most days nothing has been deployed, and one request tells.
    expect(requests.filter((count) => count === 1).length).toBeGreaterThan(DAYS / 3);
  });

  it('never mixes two days of an upstream that names no edition, and is not deployed meanwhile', async () => {
    const { whole, mixed } = await play({ days: 90, hasEditions: false });
    expect(mixed).toEqual([]);
    expect(whole).toBe(90);
  });
});
