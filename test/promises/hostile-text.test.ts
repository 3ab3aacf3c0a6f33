/**
 * Tests the regular expressions in several layers with long texts, which would make
 * a careless expression take quadratic time.
 */

import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { maskCredentials } from '../../src/cli/options.ts';
import { type Comparison, comparisonSchema } from '../../src/contract/changes.ts';
import { mapKinds } from '../../src/contract/kinds.ts';
import { isSitePath, manifestReader, metaSchema } from '../../src/contract/meta.ts';
import { languageSchema } from '../../src/contract/names.ts';
import { parse, parseJsonOrThrow } from '../../src/contract/parse.ts';
import { PLAIN_URL, removeTrailingSlashes } from '../../src/contract/paths.ts';
import { pageSchemas } from '../../src/contract/served.ts';
import { escapeControls, toTitleCase } from '../../src/contract/words.ts';
import { formatMarkdown } from '../../src/data/describe-changes.ts';
import { GamedataError } from '../../src/errors.ts';
import {
  prefersPage,
  readFormat,
  resolveTarget,
} from '../../src/serve/handler/request.ts';
import { splitTarget } from '../../src/serve/respond.ts';
import { encodeFeed } from '../../src/site/change-files.ts';
import { normalize } from '../../src/upstream/normalize.ts';
import { parseRecord } from '../../src/upstream/rest.ts';
import { parseLink } from '../../src/web/browse/address.ts';
import { everyKind } from '../support/kinds.ts';
import { loadFrom } from '../support/reading.ts';
import { onlyRaw, PROVENANCE, rawItem, rawMove, siteOf } from '../support/sites.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

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

function createStep(text: string): Comparison {
  const state = { digest: text, captured: null, counts: mapKinds(() => 0) };
  const none = { added: [], removed: [], renamed: [], changed: [] };
  const fields = [{ field: 'name', from: text, to: null }];
  const move = { ...none, changed: [{ id: 1, slug: 'a', fields }] };
  return {
    from: state,
    to: state,
    totals: { added: 0, removed: 0, renamed: 0, changed: 1 },
    changes: everyKind({ move }, () => none),
  };
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

function validate(schema: z.ZodType, value: unknown): unknown {
  return parse(schema, value, {});
}

const url = 'https://x.test/';
const { meta } = siteOf(onlyRaw());
const plainPage = { count: 0, next: null, previous: null, results: [] };

function validateSprites(upstream: string): unknown {
  const sprites = { mode: 'link', upstream };
  return validate(metaSchema, { ...meta, sprites });
}

function validateManifest(text: string): unknown {
  const entry = { path: text, bytes: 0, sha256: '0'.repeat(64) };
  const manifest = { format: 1, generator: text, files: [entry] };
  return validate(manifestReader, manifest);
}

function createFeed(text: string): unknown {
  const history = { steps: [createStep(text)] };
  return encodeFeed(history, { ...meta, base_url: url });
}

/** A function that reads text. A prefix leads into its regular expressions. */
type Row = readonly [name: string, read: (text: string) => unknown, prefix?: string];

const rows: readonly Row[] = [
  ['a slug of a record', (text) => normalizeMove({ slug: text }), 'a'],
  ['an English name', (text) => normalizeMove({ englishName: text }), 'a'],
  ['a name in a language', (text) => normalizeMove({ names: { fr: text } }), 'a'],
  ['a sprite', normalizeItem, 'sprites/items/a'],
  ['a generation', parseGeneration],

  ['languageSchema', (text) => validate(languageSchema, text), 'aa'],
  [
    'comparisonSchema',
    (text) => validate(comparisonSchema, createStep(text)),
    'sha256:',
  ],
  ['metaSchema, sprites', validateSprites, url],
  ['manifestReader', validateManifest, 'gamedata/'],
  [
    'pageSchemas, next',
    (text) => validate(pageSchemas.move, { ...plainPage, next: text }),
    `${url}api/gamedata/move/`,
  ],

  ['parseJsonOrThrow', parseJsonOrThrow, '{"a":"'],
  ['removeTrailingSlashes', removeTrailingSlashes],
  ['PLAIN_URL', (text) => PLAIN_URL.test(text), url],
  ['isSitePath', isSitePath, 'a/'],
  ['maskCredentials', maskCredentials, 'https://user:'],
  ['toTitleCase', toTitleCase],
  ['escapeControls', escapeControls],
  ['formatMarkdown', (text) => formatMarkdown(createStep(text)), 'skip-checks'],
  ['encodeFeed', createFeed],

  ['resolveTarget', (text) => resolveTarget(text), '/a'],
  [
    'resolveTarget below the API',
    (text) => resolveTarget(`/api/gamedata/${text}`),
    'move/',
  ],
  ['prefersPage', (text) => prefersPage(undefined, text), 'text/html, '],
  ['readFormat', (text) => readFormat(new URLSearchParams(text)), 'format='],
  ['splitTarget', (text) => splitTarget(text), 'http://'],
  ['parseLink', parseLink, `${url}api/gamedata/`],
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

  it("reads hostile text in the csv source's tables in linear time", async () => {
    const folder = temporaryFolder();
    const tables = tablesOf(upstreamOf(tinyUpstream()));
    const items = tables['items.csv'];
    await expectLinearTime('9,', (text) => {
      writeTables(folder, { ...tables, 'items.csv': items + text });
      return loadFrom('csv', folder);
    });
  });
});
