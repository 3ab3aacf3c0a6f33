/** What an operator may get wrong: folders swapped, options crossed. Each is refused, and nothing is touched. */

import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './fingerprint.ts';
import { renamedSnapshot } from './renamed-snapshot.ts';

/** Nobody listens there. */
const DEAD = 'http://127.0.0.1:1/api/v2';
const fromSnapshot = ['build', '--source', 'snapshot'];
const fromNowhere = ['build', '--source', 'rest', '--upstream', DEAD, '--retries', '0'];
const rebase = (...folder: string[]): string[] => ['rebase', ...folder, '--base-url', 'https://x.test'];

interface Mistake {
  readonly args: readonly string[];
  readonly code: 1 | 2;
  /** What the error says. */
  readonly says: string;
}

const row = (args: readonly string[], says: string, code: 1 | 2 = 1): Mistake => ({ args, says, code });

export const mistakes: readonly Mistake[] = [
  // A folder of another kind.
  row([...fromSnapshot, '--out', 'data'], 'data: holds a data set, which a site would replace'),
  row(
    ['snapshot', '--source', 'snapshot', '--data', 'site'],
    'site: holds a site, which a data set would replace',
  ),
  row(rebase('data'), 'data: holds a data set'),
  row(['mirror', DEAD, 'data'], 'data: holds a data set'),
  row(
    [...fromSnapshot, '--upstream', 'site'],
    'site/provenance.json: cannot be read (ENOENT), expected a snapshot',
  ),
  row(['build', '--source', 'csv', '--upstream', 'data'], 'data/moves.csv: cannot be read (ENOENT)'),
  row(['verify', 'data'], 'data: has no valid meta.json: ENOENT'),
  row(['archive', 'data'], 'data: has no valid meta.json: ENOENT'),
  row(['serve', 'data', '--port', '0'], 'data: is not a built site'),
  // Somebody's own files.
  row([...fromSnapshot, '--out', 'own'], 'own: contains files, but no manifest.json of a gamedata build'),
  row(['snapshot', '--source', 'snapshot', '--data', 'own'], 'own: contains files, but no manifest.json'),
  row(['mirror', DEAD, 'own'], 'own: contains files, but no manifest.json'),
  row(rebase('own'), 'own: contains files, but no manifest.json'),
  row([...fromSnapshot, '--out', 'own/notes.txt'], 'own/notes.txt: is not a readable folder (ENOTDIR)'),
  row([...fromSnapshot, '--out', '/'], '/: contains files'),
  row([...fromNowhere, '--cache', 'own/notes.txt'], 'own/notes.txt: cannot be used as a cache (EEXIST)'),
  row(['diff', 'site', 'own'], 'own: contains neither provenance.json nor meta.json'),
  row(['verify', 'own'], 'own: has no valid manifest.json: ENOENT'),
  row(['serve', 'own', '--port', '0'], 'own: is not a built site'),
  // A folder that is in use, or in another one.
  row([...fromSnapshot, '--out', '.'], '.: is the working folder, or contains it'),
  row([...fromSnapshot, '--out', '..'], '..: is the working folder, or contains it'),
  row(['snapshot', '--source', 'snapshot', '--data', '.'], '.: is the working folder, or contains it'),
  row(['mirror', DEAD, '.'], '.: is the working folder, or contains it'),
  row([...fromSnapshot, '--out', 'data/site'], 'data/site: is inside '),
  row([...fromSnapshot, '--out', 'site/meta/site'], 'site/meta/site: is inside '),
  row([...fromSnapshot, '--out', 'link/site'], 'link/site: is inside '),
  row([...rebase('site'), '--out', 'site/copy'], 'site/copy: is inside '),
  row(['archive', 'site', '--out', 'link/download'], '--out: got "link/download", inside "site"', 2),
  row(['snapshot', '--source', 'snapshot', '--data', 'site/data'], 'site/data: is inside '),
  row(['archive', 'site', '--out', 'site/download'], '--out: got "site/download", inside "site"', 2),
  row([...fromNowhere, '--out', 'site', '--cache', 'site'], '--cache: got "site", inside "site"', 2),
  row(
    [...fromNowhere, '--out', 'site', '--cache', 'site/cache'],
    '--cache: got "site/cache", inside "site"',
    2,
  ),
  // Nothing there.
  row(['verify', 'nowhere'], 'nowhere: cannot be read (ENOENT), expected the folder of a site'),
  row(
    ['serve', 'nowhere', '--port', '0'],
    'nowhere: is not a built site\nhint: Build one with gamedata build, or name its folder: gamedata serve <dir>.\n',
  ),
  row(['diff', 'nowhere', 'site'], 'nowhere: contains neither provenance.json nor meta.json'),
  row([...fromSnapshot, '--upstream', 'nowhere'], 'nowhere/provenance.json: cannot be read (ENOENT)'),
  row([...fromNowhere], 'GET http://127.0.0.1:1/api/v2/move/?limit=100000&offset=0: connect ECONNREFUSED'),
  // Options crossed.
  row(
    ['build', '--source', 'rest', '--upstream', 'data'],
    '--upstream: got data, expected an http or https URL',
    2,
  ),
  row(
    [...fromSnapshot, '--upstream', DEAD],
    '--upstream: got http://127.0.0.1:1/api/v2, expected a folder',
    2,
  ),
  row([...fromSnapshot, '--base-url', 'site'], '--base-url: got "site", expected an http or https URL', 2),
  row(['mirror', 'site'], 'address: got "site", expected an http or https URL, or an archive (.tar.gz)', 2),
  row(
    ['mirror', 'own.tar.gz', 'elsewhere'],
    'own.tar.gz: cannot be read as an archive (ENOENT), expected a .tar.gz',
  ),
  row(['verify', 'site', '--like', 'site'], '--like: got a folder to check, expected a URL', 2),
  row(['verify', DEAD, '--wait', '1m'], '--wait: got no site to wait for, expected --like <dir>', 2),
  row(['rebase', 'site'], '--base-url: got none, expected the new base URL', 2),
  row(['build', 'site'], "too many arguments for 'build'", 2),
  row(
    [...fromSnapshot, '--max-shrink', '-1'],
    '--max-shrink: got -1, expected a percentage from 0 to 100',
    2,
  ),
];

interface Exit {
  readonly code: number | null;
  readonly stderr: string;
}

/** Makes every mistake in a folder that has a site, a data set and files of the operator's own. Returns what was not as it has to be. */
export async function makeMistakes(
  cwd: string,
  run: (args: readonly string[], options: { cwd: string }) => Promise<Exit>,
): Promise<string[]> {
  // Every file is looked at after each mistake.
  renamedSnapshot(path.join(cwd, 'data'), 20);
  mkdirSync(path.join(cwd, 'own'));
  writeFileSync(path.join(cwd, 'own', 'notes.txt'), 'mine');
  const problems: string[] = [];
  const attempt = async (args: readonly string[]): Promise<Exit> => {
    const exit = await run(args, { cwd });
    if (/bug|^ {4}at /m.test(exit.stderr)) problems.push(`${args.join(' ')}: ${exit.stderr}`);
    return exit;
  };
  const built = await attempt([
    ...fromSnapshot,
    '--upstream',
    'data',
    '--max-shrink',
    '100',
    '--out',
    'site',
  ]);
  if (built.code !== 0) throw new Error(`the site cannot be built: ${built.stderr}`);
  symlinkSync('site', path.join(cwd, 'link'));
  const before = filesIn(cwd);
  for (const { args, code, says } of mistakes) {
    const exit = await attempt(args);
    if (exit.code !== code || !exit.stderr.includes(`error: ${says}`))
      problems.push(`${args.join(' ')}: got ${exit.code}, ${exit.stderr}, expected ${code}, ${says}`);
    if (filesIn(cwd) !== before) throw new Error(`${args.join(' ')}: touched something`);
  }
  return problems;
}

const filesIn = (cwd: string): string =>
  ['data', 'own', 'site']
    .map((name) => path.join(cwd, name))
    .flatMap((folder) =>
      [...fingerprint(folder)].filter(([file]) => statSync(path.join(folder, file)).isFile()),
    )
    .join('\n');
