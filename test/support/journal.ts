/** Lines of the cache's journal, for tests that write into it. */

import { createHash } from 'node:crypto';

/** A value as an intact line, with the checksum that is right for it. */
export function journalLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${createHash('sha256').update(json).digest('hex').slice(0, 16)} ${json}`;
}
