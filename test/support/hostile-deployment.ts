/** Prepared deployments: a small site with arbitrary values, read by every command that reads a site. */

import { hash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import { hostNames, isHostConfig } from '../../src/hosts/index.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from './fingerprint.ts';
import { inFolder } from './folders.ts';
import { listen } from './loopback.ts';
import { findFailures } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

const MARK = 'INJECTED';
const HANG_MS = 30_000;

const files = [
  ...[
    'meta.json',
    'meta.json',
    'meta.json',
    'manifest.json',
    'changes.json',
    'former.json',
    'moved.json',
  ],
  ...['api/gamedata/index.json', 'api/gamedata/move/index.json', 'api/gamedata/item/index.json'],
];

const evil: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      undefined,
      null,
      true,
      {},
      [],
      -1,
      0,
      1e15,
      2 ** 52,
      0.5,
      '',
      ' ',
      '0',
      'x'.repeat(100_000),
    ],
    ...[
      '../../evil',
      '/etc/passwd',
      'a/../../b',
      'a\0b',
      '\u202eabc',
      'con',
      '__proto__',
      'constructor',
    ],
    ...['=cmd()', '<script>alert(1)</script>', 'file:///etc/passwd', 'http://127.0.0.1:1/'],
    ...[
      `x\n${MARK}`,
      `x"; ${MARK}`,
      `x' ${MARK} '`,
      `}\n${MARK} {`,
      `x\r\n\r\n${MARK}`,
      `/\\${MARK}`,
    ],
    ...[`https://x.test/\n${MARK}`, `https://x.test/${MARK}"`, `https://x.test/;${MARK}`],
  ),
  fc.jsonValue(),
  fc.string(),
);

/** A body, a status, or undefined for a body without end. */
type Answer = string | Buffer | number | undefined;
const invalidJson = ['', '[{"path":', '['.repeat(100_000), `[${'{},'.repeat(350_000)}{}]`];
const answers: readonly Answer[] = [
  ...invalidJson,
  Buffer.from([0xff, 0xfe, 0, 0xc3]),
  undefined,
  500,
  302,
];

const edit = fc.record({
  file: fc.constantFrom(...files),
  /** Whether the manifest lists the file as it is then. */
  isListed: fc.constantFrom(true, true, true, false),
  /** Selects a node of the JSON value. */
  at: fc.noBias(fc.nat({ max: 10_000 })),
  value: evil,
  answer: fc.oneof(
    { weight: 9, arbitrary: fc.constant(false as const) },
    fc.constantFrom(...answers),
  ),
});
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** Replaces a node of a JSON value, or removes it if the new value is undefined. */
function replaceNode(root: unknown, { at, value }: Edit): unknown {
  const box: Record<string, unknown> = { root };
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const visit = (holder: Record<string, unknown>, key: string): void => {
    places.push([holder, key]);
    const inner = holder[key];
    if (typeof inner === 'object' && inner !== null)
      for (const name of Object.keys(inner)) visit(inner as Record<string, unknown>, name);
  };
  visit(box, 'root');
  const [holder, key] = places[at % places.length] ?? [box, 'root'];
  holder[key] = value;
  return box.root;
}

function spoil(clean: ReadonlyMap<string, Buffer>, edits: readonly Edit[]): Map<string, Answer> {
  const served = new Map<string, Answer>(clean);
  for (const edit of edits) {
    const before = served.get(edit.file);
    if (edit.answer !== false) served.set(edit.file, edit.answer);
    else if (Buffer.isBuffer(before))
      served.set(edit.file, JSON.stringify(replaceNode(parseJson(before.toString()), edit)) ?? '');
    const [body, manifest] = [
      served.get(edit.file),
      parseJson(String(served.get('manifest.json'))),
    ];
    if (!edit.isListed || typeof body !== 'string' || edit.file === 'manifest.json') continue;
    const { files, ...others } = (manifest ?? {}) as Partial<Manifest>;
    if (!Array.isArray(files)) continue;
    const entry = { path: edit.file, bytes: Buffer.byteLength(body), sha256: hash('sha256', body) };
    const listed = files.map((one) => (one?.path === edit.file ? entry : one));
    served.set('manifest.json', Buffer.from(JSON.stringify({ ...others, files: listed })));
  }
  return served;
}

function* endlessly() {
  for (;;) yield Buffer.alloc(2 ** 20, 'x');
}

/** Returns the report of fast-check about the first harmful deployment. */
export const tryHostile = (runs: number, seed: number): Promise<string[]> =>
  inFolder(async (folder) => {
    const clean = path.join(folder, 'clean');
    await withOutput(clean, (output) => output.publish(siteOf(rawRecords(4, 3)).files()));
    const bodies = new Map(
      listFiles(clean).map((file) => [file, readFileSync(path.join(clean, file))]),
    );
    let served = new Map<string, Answer>();
    const { url, stop } = await listen(
      createServer(({ url = '' }, response) => {
        const name = url.slice(1).replace(/\?.*/, '');
        const answer = served.has(name) ? served.get(name) : 404;
        if (answer === undefined) Readable.from(endlessly()).pipe(response);
        else if (typeof answer === 'number') response.writeHead(answer, { location: url }).end();
        else response.end(answer);
      }),
    );
    const plan = fc.record({
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
      hasCopy: fc.boolean(),
    });
    const property = fc.asyncProperty(plan, async ({ edits, hasCopy }) => {
      served = spoil(bodies, edits);
      const parent = mkdtempSync(path.join(folder, 'run-'));
      const out = path.join(parent, 'copies', 'copy');
      mkdirSync(path.dirname(out));
      if (hasCopy) cpSync(clean, out, { recursive: true, preserveTimestamps: true });
      const problems = await useAll({ url, clean, out });
      const strays = [...readdirSync(parent), ...readdirSync(path.dirname(out))];
      problems.push(...strays.filter((name) => name !== 'copies' && name !== 'copy'));
      if (problems.length > 0) throw new Error(problems.join('; '));
      rmSync(parent, { recursive: true });
    });
    return await findFailures(property, { numRuns: runs, seed, endOnFailure: true }).finally(stop);
  });

async function useAll({
  url,
  clean,
  out,
}: {
  url: string;
  clean: string;
  out: string;
}): Promise<string[]> {
  const before = [...fingerprint(path.dirname(out))].join('\n');
  const quick = { concurrency: 4, retries: 0 };
  const hosts = hostNames.filter((name) => name !== 'cloudflare');
  const copy = { ...quick, from: url, out, maxShrink: 100, hosts };
  const isCopied = await endsWell('mirror', mirror(copy));
  await endsWell(
    'verify',
    verify({ ...quick, target: url, level: 'full', linkBase: 'https://example.test' }),
  );
  await endsWell('diff', diff({ from: clean, to: url, concurrency: 4 }));
  if (!isCopied) {
    const isSame = [...fingerprint(path.dirname(out))].join('\n') === before;
    return isSame ? [] : ['a refused mirror changed the copy'];
  }
  const injected = listFiles(out)
    .filter((file) => isHostConfig(file) || !file.includes('.'))
    .filter((file) => readFileSync(path.join(out, file), 'utf8').includes(MARK));
  return [
    ...injected,
    ...verifyFolder(out).problems.map(({ file, problem }) => `${file}: ${problem}`),
  ];
}

/** Returns false for an expected error. Throws for any other, and if the work hangs. */
async function endsWell(name: string, work: Promise<unknown>): Promise<boolean> {
  const late = setTimeout(HANG_MS, 'late', { ref: false });
  try {
    if ((await Promise.race([work, late])) === 'late') throw new Error('hangs');
    return true;
  } catch (error) {
    if (error instanceof GamedataError) return false;
    throw new Error(`${name}: ${error}`, { cause: error });
  }
}
