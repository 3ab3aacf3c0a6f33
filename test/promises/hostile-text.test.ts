/**
 * Tests the regular expressions in several layers with long texts, which would make
 * a careless expression take quadratic time.
 */

import { describe, expect, it } from 'vitest';
import { isSitePath } from '../../src/contract/meta.ts';
import { GamedataError } from '../../src/errors.ts';
import {
  prefersPage,
  readFormat,
  resolveTarget,
} from '../../src/serve/handler/request.ts';
import { splitTarget } from '../../src/serve/respond.ts';
import { normalize } from '../../src/upstream/normalize.ts';
import { parseRecord } from '../../src/upstream/rest.ts';
import { onlyRaw, PROVENANCE, rawItem, rawMove } from '../support/sites.ts';

const LENGTH = 100_000;

/**
 * The maximum time per text, in microseconds. On a slow machine, each text takes
 * about 0.1 s in linear time and more than 4 s in quadratic time. We measure
 * processor time because it hardly depends on the machine's load.
 */
const MAX_PROCESSOR_TIME = 2_000_000;

/** The middle of a hostile text repeats one of these units. */
const units = [
  '_',
  '-',
  '/',
  '.',
  ',',
  ';',
  ':',
  '"',
  '@',
  '#',
  '?',
  '=',
  '[',
  '<',
  ' ',
  '\n',
  '\u00ad',
  '\ufdfa',
  'a',
  '0',
  'a-',
  'a/',
  '{},',
  '/api/gamedata/move/a/',
  'sprites/items/',
];

/**
 * Creates long texts that do not match in the end. A careless expression would read
 * such a text again from each position.
 */
function* createHostileTexts(prefix: string): Generator<string> {
  for (const unit of units) {
    // In quadratic time, an expression reads the whole text once per unit. We use
    // fewer of the longer units, so that every text takes about the same number of
    // steps.
    const middle = unit.repeat(LENGTH / Math.sqrt(unit.length));
    for (const end of ['!a', '\n', '/']) yield prefix + middle + end;
    if (prefix !== '') yield `${middle}!a`;
  }
}

type MoveFields = Parameters<typeof rawMove>[1];

function normalizeMove(fields: MoveFields): unknown {
  const records = onlyRaw({ move: [rawMove(1, fields)] });
  return normalize(records, PROVENANCE);
}

function normalizeItem(sprite: string): unknown {
  const records = onlyRaw({ item: [rawItem(1, { sprite })] });
  return normalize(records, PROVENANCE);
}

function parseGeneration(url: string): unknown {
  const answer = { id: 1, name: 'a', names: [], generation: { url } };
  return parseRecord('move', answer, 'x');
}

/** A function that reads text. A prefix leads into its regular expressions. */
type Row = readonly [name: string, read: (text: string) => unknown, prefix?: string];

const rows: readonly Row[] = [
  ['a slug of a record', (text) => normalizeMove({ slug: text }), 'a'],
  ['an English name', (text) => normalizeMove({ englishName: text }), 'a'],
  ['a sprite', normalizeItem, 'sprites/items/a'],
  ['a generation', parseGeneration],

  ['isSitePath', isSitePath, 'a/'],
  ['resolveTarget', (text) => resolveTarget(text), '/a'],
  [
    'resolveTarget below the API',
    (text) => resolveTarget(`/api/gamedata/${text}`),
    'move/',
  ],
  ['prefersPage', (text) => prefersPage(undefined, text), 'text/html, '],
  ['readFormat', (text) => readFormat(new URLSearchParams(text)), 'format='],
  ['splitTarget', (text) => splitTarget(text), 'http://'],
];

/** The errors that a reader of text may throw. Any other error is a bug. */
const expectedErrors = [GamedataError, SyntaxError];

/** Reads each hostile text, and expects that no text takes too long. */
async function expectLinearTime(
  prefix: string,
  read: (text: string) => unknown,
): Promise<void> {
  for (const text of createHostileTexts(prefix)) {
    const started = process.cpuUsage();
    try {
      await read(text);
    } catch (error) {
      const isExpected = expectedErrors.some((type) => error instanceof type);
      if (!isExpected) throw error;
    }
    const { user, system } = process.cpuUsage(started);
    const shownText = JSON.stringify(`${text.slice(0, 60)}…${text.slice(-5)}`);
    expect(user + system, shownText).toBeLessThan(MAX_PROCESSOR_TIME);
  }
}

describe('reading a long hostile text in linear time', () => {
  for (const [name, read, prefix = ''] of rows) {
    it(`reads a long hostile text in linear time: ${name}`, () =>
      expectLinearTime(prefix, read));
  }
});
