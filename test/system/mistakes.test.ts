import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { fingerprint } from '../support/fingerprint.ts';
import { renamedSnapshot } from '../support/renamed-snapshot.ts';
import { callCli } from '../support/run-cli.ts';
import { sharedFolder } from '../support/temporary.ts';

const DEAD = 'http://127.0.0.1:1/api/v2';
const SNAPSHOT = 'build --source snapshot';
const NOWHERE = `build --source rest --upstream ${DEAD}`;

const mistakes: [commandLine: string, error: string, code?: 1 | 2][] = [
  [
    `${SNAPSHOT} --out data`,
    'data: contains files, but its manifest.json does not exist',
  ],
  [
    'snapshot --source snapshot --data site',
    'site: contains files, but its dataset.json does not exist\nhint: Choose a new or empty folder.\n',
  ],
  [`mirror site data`, 'data: contains files, but its manifest.json does not exist'],
  ['build --source csv --upstream data', 'data/moves.csv: does not exist'],
  ['verify data', 'data: is not a gamedata site, because it has no manifest.json'],
  ['verify nowhere', 'nowhere: does not exist, expected a folder'],
  ['mirror nowhere copy', 'nowhere: does not exist, expected a folder'],
  ['diff nowhere site', 'nowhere: does not exist, expected a folder'],
  [`verify ${DEAD} --like nowhere`, 'nowhere: does not exist, expected a folder'],
  [
    `${SNAPSHOT} --out own/notes.txt`,
    'own/notes.txt: is not a readable folder (ENOTDIR)',
  ],
  [`${SNAPSHOT} --out /`, '/: is the working folder, or contains it'],
  [
    'verify own/notes.txt',
    'own/notes.txt: is not a gamedata site, because it has no manifest.json',
  ],
  [`${SNAPSHOT} --out .`, '.: is the working folder, or contains it'],
  [
    'snapshot --source snapshot --data ..',
    '..: is the working folder, or contains it',
  ],
  [
    `${NOWHERE} --out site --cache site/cache`,
    '--cache: got "site/cache", expected a folder outside "site"',
    2,
  ],
  [`${SNAPSHOT} --upstream nowhere`, 'nowhere: does not exist, expected a folder'],
  [NOWHERE, `GET ${DEAD}/meta/: connect ECONNREFUSED`],
  [
    'build --source rest --upstream data',
    '--upstream: got data, expected an http or https URL',
    2,
  ],
];

const cwd = sharedFolder();
const attempt = (commandLine: string) => callCli(commandLine.split(' '), { cwd });
const listFiles = (): string =>
  ['data', 'own', 'site']
    .map((name) => path.join(cwd, name))
    .flatMap((folder) =>
      [...fingerprint(folder)].filter(([file]) =>
        statSync(path.join(folder, file)).isFile(),
      ),
    )
    .join('\n');

beforeAll(async () => {
  await renamedSnapshot(path.join(cwd, 'data'), 20);
  mkdirSync(path.join(cwd, 'own'));
  writeFileSync(path.join(cwd, 'own', 'notes.txt'), 'mine');
  expect(
    await attempt(`${SNAPSHOT} --upstream data --max-shrink 100 --out site`),
  ).toMatchObject({
    code: 0,
  });
});

it.each(mistakes)(
  'rejects %s and changes nothing',
  async (commandLine, error, expected = 1) => {
    const before = listFiles();
    const { code, stderr } = await attempt(commandLine);
    expect(stderr).toContain(`error: ${error}`);
    expect(stderr).not.toMatch(/bug|^ {4}at /m);
    expect(code).toBe(expected);
    expect(listFiles()).toBe(before);
  },
);
