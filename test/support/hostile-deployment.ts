/** Deployments that somebody prepared: a small site with anything in the place of its values, read by every command that reads one. */

import { hash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { diff } from '../../src/cli/commands/diff.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import type { Manifest } from '../../src/contract/meta.ts';
import { parseJson } from '../../src/contract/parse.ts';
import { isHostFile } from '../../src/contract/paths.ts';
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import { hostNames } from '../../src/hosts/names.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from './fingerprint.ts';
import { inFolder } from './folders.ts';
import { listen } from './loopback.ts';
import { failureOf } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

const MARK = 'INJECTED';
const TARGETS = [
  // What most is made of.
  ...['meta.json', 'meta.json', 'meta.json'],
  ...['manifest.json', 'meta.json', 'changes.json', 'moved.json', 'api/gamedata/index.json'],
  ...['api/gamedata/move/index.json', 'api/gamedata/item/index.json', 'api/gamedata/move/move-1/index.json'],
];

/** Texts that end the text, the line or the block around them. */
const injections = [
  ...[`x\n${MARK}`, `x"; ${MARK}`, `x' ${MARK} '`, `}\n${MARK} {`, `x\r\n\r\n${MARK}`, `/\\${MARK}`],
  ...[`https://x.test/\n${MARK}`, `https://x.test/${MARK}"`, `https://x.test/;${MARK}`],
];

/** What takes the place of a value. */
const evil: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, {}, [], -1, 0, 1e15, 2 ** 52, 1e308, 0.5, '', ' ', '0', 'x'.repeat(100_000)],
    ...['../../evil', '/etc/passwd', 'a/../../b', 'a\0b', '\u202eabc', 'con', '__proto__', 'constructor'],
    ...['=cmd()', '<script>alert(1)</script>', 'file:///etc/passwd', 'http://127.0.0.1:1/'],
  ),
  fc.constantFrom(...injections),
  fc.jsonValue(),
  fc.string(),
);

/** Bytes, a status, or undefined for what never ends. */
type Answer = string | Buffer | number | undefined;

/** Whole answers in the place of a file's. */
const answers: Readonly<Record<string, Answer>> = {
  nothing: '',
  'half of JSON': '[{"path":',
  'deep JSON': '['.repeat(100_000),
  'a megabyte of objects': `[${'{},'.repeat(350_000)}{}]`,
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0, 0xc3]),
  'no end': undefined,
  'an error': 500,
  'a redirect to itself': 302,
};

/** Any place as often as any other. */
const at = fc.noBias(fc.nat({ max: 10_000 }));
const change = (weight: number, how: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) => ({
  weight,
  arbitrary: fc.record({ how, at, value }),
});
const changes = fc.oneof(
  change(6, fc.constantFrom('set', 'add'), evil),
  change(4, fc.constant('inject'), fc.constantFrom(...injections)),
  change(2, fc.constantFrom('remove', 'repeat'), fc.constant(null)),
  change(1, fc.constant('answer'), fc.constantFrom(...Object.keys(answers))),
);
interface Edit {
  readonly file: string;
  /** Whether the manifest lists the file as it is then. */
  readonly list: boolean;
  readonly how: string;
  readonly at: number;
  readonly value: unknown;
}
const edit: fc.Arbitrary<Edit> = fc
  .tuple(fc.constantFrom(...TARGETS), fc.constantFrom(true, true, true, false), changes)
  .map(([file, list, change]) => ({ file, list, ...change }));

/** A few changes, and whether there is a copy already. */
const plan = fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 3 }), hasCopy: fc.boolean() });

/** Changes one node of a JSON value, counted from the root; an injection, one of its texts. */
function changeValue(root: unknown, edit: Edit): unknown {
  const box: Record<string, unknown> = { root };
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const visit = (holder: Record<string, unknown>, key: string): void => {
    places.push([holder, key]);
    const value = holder[key];
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.keys(value)) visit(value as Record<string, unknown>, inner);
  };
  visit(box, 'root');
  const isText = ([holder, key]: (typeof places)[number]): boolean => typeof holder[key] === 'string';
  const suitable = edit.how === 'inject' ? places.filter(isText) : places;
  const [holder, key] = suitable[edit.at % suitable.length] ?? [box, 'root'];
  if (edit.how === 'set' || edit.how === 'inject') holder[key] = edit.value;
  else if (edit.how === 'add') holder[`${key}${MARK}`] = edit.value;
  else if (edit.how === 'remove') delete holder[key];
  else if (Array.isArray(holder)) holder.push(holder[Number(key)]);
  return box.root;
}

function spoil(clean: ReadonlyMap<string, Buffer>, edits: readonly Edit[]): Map<string, Answer> {
  const files = new Map<string, Answer>(clean);
  for (const edit of edits) {
    const before = files.get(edit.file);
    if (edit.how === 'answer') files.set(edit.file, answers[String(edit.value)]);
    else if (Buffer.isBuffer(before)) {
      const value = changeValue(parseJson(before.toString()), edit);
      files.set(edit.file, Buffer.from(JSON.stringify(value) ?? ''));
    }
    if (edit.list && edit.file !== 'manifest.json') list(files, edit.file);
  }
  return files;
}

/** Lets the manifest list a file as it is now, if there still is one that lists files. */
function list(files: Map<string, Answer>, file: string): void {
  const [body, manifest] = [files.get(file), files.get('manifest.json')];
  if (!Buffer.isBuffer(manifest) || (typeof body !== 'string' && !Buffer.isBuffer(body))) return;
  const parsed = parseJson(manifest.toString()) as Partial<Manifest> | null;
  if (!Array.isArray(parsed?.files)) return;
  const listed = parsed.files.map((entry) =>
    entry?.path === file ? { ...entry, bytes: Buffer.byteLength(body), sha256: hash('sha256', body) } : entry,
  );
  files.set('manifest.json', Buffer.from(JSON.stringify({ ...parsed, files: listed })));
}

function* megabytes() {
  for (;;) yield Buffer.alloc(2 ** 20, 'x');
}

const HANG_MS = 30_000;
const PASSWORDS = 'outside of every copy';

/** The file that a request is for; what cannot be decoded is no file. */
function nameOf(url: string): string {
  try {
    return decodeURIComponent(url.slice(1).replace(/\?.*/, ''));
  } catch {
    return url;
  }
}

/** @returns what fast-check says of the first deployment that did harm */
export const tryHostile = (runs: number, seed: number): Promise<string[]> =>
  inFolder(async (folder) => {
    const clean = path.join(folder, 'clean');
    const { files: made } = siteOf(rawRecords(4, 3));
    await withOutput(clean, (output) => output.publish(made()));
    const bodies = new Map(listFiles(clean).map((file) => [file, readFileSync(path.join(clean, file))]));

    let served = new Map<string, Answer>();
    const server = createServer(({ url = '' }, response) => {
      const name = nameOf(url);
      const answer = served.has(name) ? served.get(name) : 404;
      if (answer === undefined) Readable.from(megabytes()).pipe(response);
      else if (typeof answer === 'number') response.writeHead(answer, { location: url }).end();
      else response.end(answer);
    });
    const { url, stop } = await listen(server);
    const harmless = fc.asyncProperty(plan, async ({ edits, hasCopy }) => {
      served = spoil(bodies, edits);
      const parent = mkdtempSync(path.join(folder, 'run-'));
      writeFileSync(path.join(parent, 'passwd'), PASSWORDS);
      const out = path.join(parent, 'copies', 'copy');
      mkdirSync(path.dirname(out));
      if (hasCopy) cpSync(clean, out, { recursive: true, preserveTimestamps: true });
      await useAll({ url, clean, out });
      expectNothing(
        readdirSync(path.dirname(out)).filter((name) => name !== 'copy' && !name.endsWith('-received')),
      );
      expectNothing(readdirSync(parent).filter((name) => name !== 'copies' && name !== 'passwd'));
      if (readFileSync(path.join(parent, 'passwd'), 'utf8') !== PASSWORDS) throw new Error('wrote outside');
      rmSync(parent, { recursive: true });
    });
    return await failureOf(harmless, { numRuns: runs, seed, endOnFailure: true }).finally(stop);
  });

async function useAll({ url, clean, out }: { url: string; clean: string; out: string }): Promise<void> {
  const before = fingerprint(path.dirname(out));
  const quick = { concurrency: 4, retries: 0 };
  const copied = await expected('mirror', mirror({ ...quick, from: url, out, maxShrink: 100 }));
  if (!copied) {
    const after = fingerprint(path.dirname(out));
    for (const [file, mark] of before) if (after.get(file) !== mark) throw new Error(`${file} was changed`);
  }
  await expected('verify', verify(url, { ...quick, level: 'full', linkBase: 'https://example.test' }));
  await expected('diff', diff({ from: clean, to: url, concurrency: 4 }));
  if (!copied) return;
  const rebased = await expected(
    'mirror of the copy',
    mirror({ from: out, baseUrl: 'https://rebased.test', hosts: hostNames }),
  );
  await expected('verify of the copy', verify(out));
  if (!rebased) return;
  expectNothing(verifyFolder(out).problems.map(({ file, problem }) => `${file}: ${problem}`));
  const configurations = listFiles(out).filter((file) => isHostFile(file) || !file.includes('.'));
  expectNothing(configurations.filter((file) => readFileSync(path.join(out, file), 'utf8').includes(MARK)));
}

/** Whether it ended well; throws unless it ended so, or with an error that says what is wrong, in time. */
async function expected(name: string, work: Promise<unknown>): Promise<boolean> {
  const late = setTimeout(HANG_MS, 'late', { ref: false });
  try {
    if ((await Promise.race([work, late])) === 'late') throw new Error('hangs');
    return true;
  } catch (error) {
    if (error instanceof GamedataError) return false;
    throw new Error(`${name}: ${error}`, { cause: error });
  }
}

function expectNothing(found: readonly string[]): void {
  if (found.length > 0) throw new Error(found.join('; '));
}
