/** Editions of the upstream: the states in which it was deployed as a whole. Not every upstream names them. */

import * as z from 'zod';

export const editionSchema = z.object({
  hash: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .describe('The commit that its data was made from.'),
  deployed: z.iso.datetime().describe('When it was deployed.'),
});
export type Edition = z.infer<typeof editionSchema>;

/** As people read it: `edition 0d8fe2bf of 2026-08-06`. */
export const describeEdition = ({ hash, deployed }: Edition): string =>
  `edition ${hash.slice(0, 8)} of ${deployed.slice(0, 10)}`;

/** The edition that was deployed last; null if there is none. */
export const newestEdition = (editions: Iterable<Edition | null>): Edition | null =>
  [...editions].reduce((newest, edition) => {
    if (!edition || (newest && newest.deployed >= edition.deployed)) return newest;
    return edition;
  }, null);

/** The earliest deploy date that is believed: before it, the upstream did not exist. */
const EARLIEST = Date.UTC(2014, 0) / 1000;
const DAY = 86_400;

/**
 * An edition as the upstream names it: a commit, and seconds since 1970 as text. Null if either is not what it should be.
 *
 * @param now in milliseconds; a later date, beyond the difference of two clocks, is not believed
 */
export function parseEdition(hash: unknown, deployed: unknown, now: number): Edition | null {
  const seconds = /^\d{1,10}$/.test(String(deployed)) ? Number(deployed) : 0;
  if (seconds < EARLIEST || seconds > now / 1000 + DAY) return null;
  const time = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
  return editionSchema.safeParse({ hash, deployed: time }).data ?? null;
}
