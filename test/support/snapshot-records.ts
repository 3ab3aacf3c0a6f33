/** The records of a snapshot as its files have them, for tests that compare with them. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface SnapshotRecord {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly icon: string;
}

/** Moves have no `icon`. */
export function readSnapshot(folder: string): Record<'move' | 'item', SnapshotRecord[]> {
  const read = (kind: string): SnapshotRecord[] =>
    readFileSync(path.join(folder, `${kind}.ndjson`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { move: read('move'), item: read('item') };
}
