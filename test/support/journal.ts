import { createHash } from 'node:crypto';

/** Returns an intact line of the cache's journal. */
export function journalLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${createHash('sha256').update(json).digest('hex').slice(0, 16)} ${json}`;
}
