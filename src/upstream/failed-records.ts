import { type Kind, kindNames } from '../contract/kinds.ts';
import type { Skipped } from '../contract/records.ts';
import { GamedataError, isExpected } from '../errors.ts';
import { findFailure } from './client.ts';
import { isOtherEdition } from './one-edition.ts';

/** A record that cannot be part of the data set. */
interface FailedRecord {
  readonly kind: Kind;
  readonly id: number;
  readonly error: GamedataError;
}

/** Collects the records that fail, so that one error names all of them. */
export interface FailedRecords {
  /**
   * Adds a record that failed because of an error from the upstream or in its data.
   *
   * @throws any other error, or the error that names all failed records if there are
   * too many of them
   */
  add(kind: Kind, id: number, error: unknown): void;
  /** @throws GamedataError if any record has failed */
  throwIfAny(): void;
}

const MAX_FAILED = 50;

/**
 * Creates an empty collection.
 *
 * @param skip the records that are skipped already, which the suggested option has to
 * repeat
 */
export function createFailedRecords(skip: Skipped | undefined): FailedRecords {
  const failed: FailedRecord[] = [];

  function throwIfAny(): void {
    if (failed.length > 0) throw createError(failed, skip);
  }

  return {
    add(kind, id, error) {
      if (!isAboutRecord(error)) throw error;
      failed.push({ kind, id, error });
      if (failed.length === MAX_FAILED) throwIfAny();
    },
    throwIfAny,
  };
}

/**
 * Returns whether an error is about a single record, so that other records may still be
 * read. They cannot be read if a connection fails in every attempt, or if the upstream
 * has deployed another edition.
 */
function isAboutRecord(error: unknown): error is GamedataError {
  if (isExpected(error, 'data')) return true;
  const failure = findFailure(error);
  return failure?.hasResponse === true && !isOtherEdition(error);
}

/**
 * Creates the error that lists all failed records, sorted by kind and id, and suggests the
 * option that skips them.
 */
function createError(
  failed: readonly FailedRecord[],
  skip: Skipped | undefined,
): GamedataError {
  // The suggested option replaces the user's own option, so it repeats the skipped
  // records.
  const skipped: string[] = [];
  const lines: string[] = [];
  for (const kind of kindNames) {
    for (const id of skip?.[kind] ?? []) skipped.push(`${kind}/${id}`);
    const failedOfKind = failed.filter((record) => record.kind === kind);
    failedOfKind.sort((a, b) => a.id - b.id);
    for (const { id, error } of failedOfKind) {
      skipped.push(`${kind}/${id}`);
      lines.push(`${kind}/${id}: ${error.message}`);
    }
  }
  const list = lines.join('\n  ');
  const isOne = failed.length === 1;
  const problem = isOne ? list : `${describeCount(failed.length)}:\n  ${list}`;
  const records = isOne ? 'this record' : 'these records';
  const hint = `To build without ${records}, add --skip ${skipped.join(' ')}`;
  const cause = failed[0]?.error;
  return new GamedataError(cause?.code ?? 'data', problem, { cause, hint });
}

function describeCount(count: number): string {
  const records = `${count} records cannot be used`;
  return count < MAX_FAILED ? records : `${records}, and reading ended there`;
}
