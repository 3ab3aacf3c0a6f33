/** Several faults at once: a made-up mix of them, and whether the build ends as one of them alone would let it. */

import { meetFaults, type Part, placesOf, unlisted } from './fault-trial.ts';
import { type Fault, faults } from './faults.ts';
import { type Random, seeded } from './random.ts';

export interface Mix {
  readonly parts: readonly Part[];
  readonly concurrency: number;
}

/** What ends the whole upstream, or is not there at all, mixes with nothing. */
const mixable = faults.filter(({ address, lasting }) => address === undefined && !lasting);

const mild = mixable.filter(({ retried, outcome }) => retried || outcome.code === 'built');

const SLOW = { headers: 1000, body: 1000, total: 3000 };
/** These take seconds of their own, which would be mistaken for a stall. */
const isHeavy = ({ name }: Fault): boolean => /MB|bomb|million/.test(name);

/** Two to six faults that can be told apart, every other mix of those that a build gets over. The same seed makes the same mix. */
export function makeMix(seed: number): Mix {
  const random = seeded(seed);
  const parts: Part[] = [];
  const wanted = 2 + random.below(5);
  const isMild = random.below(2) === 0;
  for (let attempt = 0; attempt < 100 && parts.length < wanted; attempt++) {
    const part = makePart(isMild ? mild : mixable, random);
    if (isMild && hasToRefuse(part)) continue;
    if (parts.every((other) => fitTogether(part, other))) parts.push(part);
  }
  return { parts, concurrency: random.pick([1, 4]) };
}

function makePart(choices: readonly Fault[], random: Random): Part {
  const fault = random.pick(choices);
  const stay = fault.retried && random.below(3) > 0 ? 'once' : 'lasting';
  return { fault, place: random.pick(placesOf(fault)), stay };
}

function fitTogether(a: Part, b: Part): boolean {
  const both = [a.fault, b.fault];
  // A ETag is sent or it is not.
  if (both.some(({ uncached }) => uncached) && both.some(({ group }) => group === 'cache')) return false;
  if (both.some(({ slow }) => slow) && both.some(isHeavy)) return false;
  // Another name of a record is in its list too, and then the list's own fault is told in other words.
  const [listed, spoilt] = a.place.id === undefined ? [a, b] : [b, a];
  if (listed.place.id === undefined && listed.place.kind === spoilt.place.kind && spoilt.fault.spoil)
    return false;
  if (a.place !== b.place) return true;
  return a.stay === 'once' || b.stay === 'once' ? Boolean(a.fault.answer && b.fault.answer) : false;
}

export const describeMix = ({ parts, concurrency }: Mix): string =>
  `${parts.map(({ fault, place, stay }) => `${fault.name} in ${place.name} (${stay})`).join(' + ')}, ${concurrency} at a time`;

/** How a mix ended, and everything that is wrong about it. */
export interface MixTrial {
  readonly ended: 'built' | 'refused';
  readonly problems: readonly string[];
}

export async function tryMix({ parts: unordered, concurrency }: Mix): Promise<MixTrial> {
  // Those that are over after one request come first at their place.
  const parts = unordered.toSorted((a, b) => Number(a.stay === 'lasting') - Number(b.stay === 'lasting'));
  const isSlow = parts.some(({ fault }) => fault.slow);
  const met = await meetFaults(parts, {
    ...{ concurrency, seconds: SLOW.total / 1000 },
    ...(isSlow && { timeouts: SLOW }),
  });
  const { failure, problems, isSame, texts } = met;
  const note = (wrong: boolean, problem: string): void => void (wrong && problems.push(problem));
  if (failure) {
    note(!isSame, 'the old site was touched');
    // Where another fault was there before, even what is never requested again takes a second attempt.
    const messages = [failure.message, failure.message.replace(/ \(2 attempts\)$/, '')];
    const isListed = met.told.some((told, at) => {
      const { fault, place } = parts[at] as Part;
      return messages.some((message) => unlisted(fault, place, { told, message }) === undefined);
    });
    note(!isListed, `failed with what is none of its faults’: ${failure.message}`);
    note(!parts.some((part) => mayRefuse(part, parts)), 'failed, although nothing is there to refuse');
  } else {
    note(parts.some(hasToRefuse), 'was built, although a fault of it has to be refused');
    for (const { fault } of parts) {
      const { holds } = fault.outcome as { holds?: string };
      const isHeld = holds === undefined || texts.some((text) => text.includes(holds));
      note(!isHeld, `no record holds ${holds}`);
    }
  }
  return { ended: failure ? 'refused' : 'built', problems };
}

const hasToRefuse = ({ fault, stay }: Part): boolean => fault.outcome.code !== 'built' && stay === 'lasting';

/** Two that are over after one request each are too many for one retry. */
const mayRefuse = (part: Part, parts: readonly Part[]): boolean =>
  hasToRefuse(part) ||
  (part.fault.outcome.code !== 'built' && parts.filter(({ place }) => place === part.place).length > 1);
