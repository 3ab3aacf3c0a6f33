/**
 * Creates malicious deployments, which are small sites with arbitrary values. Every
 * command that reads a site has to read them.
 */

import { hash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { resolveBuild } from '../../src/cli/commands/build.ts';
import { guaranteeNames } from '../../src/contract/guarantees.ts';
import type { Manifest } from '../../src/contract/meta.ts';
import { parseJson } from '../../src/contract/parse.ts';
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import { hostNames, isHostConfig } from '../../src/hosts/index.ts';
import { makeSite } from '../../src/pipeline/make-site.ts';
import { readRemoteDataSet } from '../../src/upstream/remote-data.ts';
import { verifyDeployment } from '../../src/verify/deployment.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from './fingerprint.ts';
import { inFolder } from './folders.ts';
import { listen } from './loopback.ts';
import { publishFiles } from './publishing.ts';
import { findFailures } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

const MARK = 'INJECTED';
const HANG_MS = 30_000;

const editedFiles = [
  'meta.json',
  'manifest.json',
  // A copy consists of the values in these files.
  'data/dataset.json',
  'data/dataset.json',
  'data/changes.json',
  'data/old-slugs.json',
  'data/move.ndjson',
  'data/item.ndjson',
  'api/gamedata/move/index.json',
];

const unexpectedValues: unknown[] = [
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
];
const dangerousTexts = [
  '../../evil',
  '/etc/passwd',
  'a/../../b',
  'a\0b',
  '\u202eabc',
  'con',
  '__proto__',
  'constructor',
  '=cmd()',
  '<script>alert(1)</script>',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
];
/** Texts that would end a line or a string in a host's configuration. */
const injections = [
  `x\n${MARK}`,
  `x"; ${MARK}`,
  `x' ${MARK} '`,
  `}\n${MARK} {`,
  `x\r\n\r\n${MARK}`,
  `/\\${MARK}`,
  `https://x.test/\n${MARK}`,
  `https://x.test/${MARK}"`,
  `https://x.test/;${MARK}`,
];
const evil: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...unexpectedValues, ...dangerousTexts, ...injections),
  fc.jsonValue(),
  fc.string(),
);

/** A body, a status, or undefined for an endless body. */
type Answer = string | Buffer | number | undefined;
const invalidJson = [
  '',
  '[{"path":',
  '['.repeat(100_000),
  `[${'{},'.repeat(350_000)}{}]`,
];
const answers: readonly Answer[] = [
  ...invalidJson,
  Buffer.from([0xff, 0xfe, 0, 0xc3]),
  undefined,
  500,
  302,
];

/**
 * A difference between one file in the deployment and the same file in the clean
 * site.
 */
interface Edit {
  readonly file: string;
  /** Whether the manifest lists the file as it is after the edit. */
  readonly isListed: boolean;
  /** Selects a node of the JSON value. */
  readonly at: number;
  readonly value: unknown;
  /** A response instead of the edited JSON value; false for none. */
  readonly answer: Answer | false;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  file: fc.constantFrom(...editedFiles),
  isListed: fc.constantFrom(true, true, true, false),
  at: fc.noBias(fc.nat({ max: 10_000 })),
  value: evil,
  answer: fc.oneof(
    { weight: 9, arbitrary: fc.constant(false as const) },
    fc.constantFrom(...answers),
  ),
});

/** A property or an element of a JSON value. */
interface Node {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Replaces a node of a JSON value, or removes it if the new value is undefined. */
function replaceNode(root: unknown, { at, value }: Edit): unknown {
  const box: Record<string, unknown> = { root };
  const nodes: Node[] = [];
  function visit(holder: Record<string, unknown>, key: string): void {
    nodes.push({ holder, key });
    const inner = holder[key];
    if (typeof inner !== 'object' || inner === null) return;
    for (const name of Object.keys(inner)) {
      visit(inner as Record<string, unknown>, name);
    }
  }
  visit(box, 'root');
  const { holder, key } = nodes[at % nodes.length] ?? { holder: box, key: 'root' };
  holder[key] = value;
  return box.root;
}

/**
 * Applies edits one after another to a clean site's files. After an edit that is
 * listed, the manifest and the description of the data set get the edited file's size
 * and hash. Otherwise, every reader
 * would stop at the wrong hash and never read the value.
 */
function spoil(
  clean: ReadonlyMap<string, Buffer>,
  edits: readonly Edit[],
): Map<string, Answer> {
  const served = new Map<string, Answer>(clean);
  for (const edit of edits) {
    const current = served.get(edit.file);
    if (edit.answer !== false) {
      served.set(edit.file, edit.answer);
    } else if (Buffer.isBuffer(current) || typeof current === 'string') {
      served.set(edit.file, editText(current.toString(), edit));
    }
    if (edit.isListed && edit.file !== 'manifest.json') {
      listAsServed(served, edit.file);
    }
  }
  return served;
}

/** Changes a value in the text of a JSON file, or in a line of an NDJSON file. */
function editText(text: string, edit: Edit): string {
  if (!edit.file.endsWith('.ndjson')) {
    return JSON.stringify(replaceNode(parseJson(text), edit)) ?? '';
  }
  const [line = '', ...others] = text.split('\n');
  const changed = JSON.stringify(replaceNode(parseJson(line), edit)) ?? '';
  return [changed, ...others].join('\n');
}

/** Corrects a file's entries in the data set's description and in the manifest. */
function listAsServed(served: Map<string, Answer>, file: string): void {
  const inDataSet = file.startsWith('data/') && file !== 'data/dataset.json';
  if (inDataSet) {
    correctEntry(served, 'data/dataset.json', file.slice('data/'.length), file);
    correctEntry(served, 'manifest.json', 'data/dataset.json');
  }
  correctEntry(served, 'manifest.json', file);
}

/**
 * Corrects the entry with a path in a list of files, unless the file or the list cannot
 * be read.
 */
function correctEntry(
  served: Map<string, Answer>,
  list: string,
  listedPath: string,
  file = listedPath,
): void {
  const body = served.get(file);
  const manifest = parseJson(String(served.get(list)));
  if (typeof body !== 'string') return;
  const { files, ...others } = (manifest ?? {}) as Partial<Manifest>;
  if (!Array.isArray(files)) return;
  const entry = {
    path: listedPath,
    bytes: Buffer.byteLength(body),
    sha256: hash('sha256', body),
  };
  const corrected = files.map((listed) =>
    listed?.path === listedPath ? entry : listed,
  );
  const text = JSON.stringify({ ...others, files: corrected });
  served.set(list, text);
}

function* createEndlessBody(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(2 ** 20, 'x');
}

function readAll(folder: string): Map<string, Buffer> {
  const bodies = new Map<string, Buffer>();
  for (const file of listFiles(folder)) {
    bodies.set(file, readFileSync(path.join(folder, file)));
  }
  return bodies;
}

interface HostileServer {
  readonly url: string;
  /** Replaces the deployment that the server serves. */
  deploy(files: ReadonlyMap<string, Answer>): void;
  stop(): Promise<void>;
}

async function startHostileServer(): Promise<HostileServer> {
  let served: ReadonlyMap<string, Answer> = new Map();
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1).replace(/\?.*/, '');
    const answer = served.has(name) ? served.get(name) : 404;
    if (answer === undefined) Readable.from(createEndlessBody()).pipe(response);
    else if (typeof answer === 'number') {
      response.writeHead(answer, { location: url }).end();
    } else response.end(answer);
  });
  const { url, stop } = await listen(server);
  return {
    url,
    deploy(files) {
      served = files;
    },
    stop,
  };
}

const plan = fc.record({
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  /** Whether an older copy of the clean site exists. */
  hasCopy: fc.boolean(),
});

/**
 * Deploys spoiled sites, and mirrors, verifies and compares each of them. Each copy
 * is in a separate folder, so that we notice any files that a command writes next to
 * the copy. Returns fast-check's report about the first harmful deployment.
 */
export function tryHostile(runs: number, seed: number): Promise<string[]> {
  return inFolder(async (folder) => {
    const clean = path.join(folder, 'clean');
    const site = siteOf(rawRecords(4, 3));
    await publishFiles(clean, site.files());
    const cleanBodies = readAll(clean);
    const server = await startHostileServer();
    const property = fc.asyncProperty(plan, async ({ edits, hasCopy }) => {
      server.deploy(spoil(cleanBodies, edits));
      const parent = mkdtempSync(path.join(folder, 'run-'));
      const copies = path.join(parent, 'copies');
      const out = path.join(copies, 'copy');
      mkdirSync(copies);
      if (hasCopy) cpSync(clean, out, { recursive: true, preserveTimestamps: true });
      const problems = await useAll({ url: server.url, out });
      for (const name of [...readdirSync(parent), ...readdirSync(copies)]) {
        if (name !== 'copies' && name !== 'copy') problems.push(name);
      }
      if (problems.length > 0) throw new Error(problems.join('; '));
      rmSync(parent, { recursive: true });
    });
    try {
      return await findFailures(property, {
        numRuns: runs,
        seed,
        endOnFailure: true,
      });
    } finally {
      await server.stop();
    }
  });
}

interface Trial {
  /** The URL at which the hostile deployment is served. */
  readonly url: string;
  /** The folder of the copy. */
  readonly out: string;
}

/**
 * Mirrors, verifies and compares a deployment. Each command may refuse it. A refused
 * mirror must not change the copy, and an accepted one must be intact, without
 * injected text in host configuration.
 */
async function useAll({ url, out }: Trial): Promise<string[]> {
  const copies = path.dirname(out);
  const describeCopies = (): string => [...fingerprint(copies)].join('\n');
  const oldCopies = describeCopies();
  const hosts = hostNames.filter((name) => name !== 'cloudflare');
  const resolved = resolveBuild({ out, maxShrink: 100, hosts });
  // No option sets the delay between attempts, which would take most of the time.
  const source = { ...resolved.source, concurrency: 4, retryBaseMs: 1 };
  const mirroring = makeSite({ ...resolved, copiedFrom: url, source });
  const isCopied = await endsWell('mirror', mirroring);
  const verifying = verifyDeployment(url, {
    guarantees: guaranteeNames,
    concurrency: 4,
    retryBaseMs: 1,
  });
  await endsWell('verify', verifying);
  await endsWell('diff', readRemoteDataSet(url, source));
  if (!isCopied) {
    if (describeCopies() === oldCopies) return [];
    return ['a refused mirror changed the copy'];
  }

  const problems: string[] = [];
  for (const file of listFiles(out)) {
    if (!isHostConfig(file) && file.includes('.')) continue;
    const text = readFileSync(path.join(out, file), 'utf8');
    if (text.includes(MARK)) problems.push(file);
  }
  problems.push(...(await verifyFolder(out)).problems);
  return problems;
}

/**
 * Returns false after an expected error. Throws any other error, and throws if the
 * work hangs.
 */
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
