import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import type { Kind } from '../../src/contract/kinds.ts';
import { type Meta, metaSchema } from '../../src/contract/meta.ts';
import { startServer } from '../support/local-server.ts';
import { findMemoryForPrograms } from '../support/memory.ts';
import { runProgram } from '../support/run-cli.ts';
import { tablesOf } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  type Answer,
  english,
  moveAnswer,
  tinyUpstream,
  upstreamOf,
} from '../support/upstream-data.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINKED = ['node_modules', 'public', 'package.json'];
const run = promisify(execFile);

/**
 * Copies the compiled package into a checkout, so that the package uses the
 * checkout's data set.
 */
function install(checkout: string): void {
  cpSync(path.join(ROOT, 'dist'), path.join(checkout, 'dist'), { recursive: true });
  for (const name of LINKED) {
    symlinkSync(path.join(ROOT, name), path.join(checkout, name));
  }
}

/**
 * A fake `gh` that records its arguments. From the second call on, an issue is open.
 */
const gh = `#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$HOME/asked"
case "$1 $2" in
  'api --silent') ;;
  'api repos/{owner}/{repo}') echo "\${HAS_ISSUES:-true}" ;;
  'pr list') [ ! -f "$HOME/proposal" ] || echo 8 ;;
  'pr create')
    [ -z "\${FORBIDDEN:-}" ] || { echo "$FORBIDDEN" >&2; exit 1; }
    printf '%s\\n' "$@" > "$HOME/proposal"
    cat "\${@: -1}" > "$HOME/proposal.md"
    ;;
  'api repos/'*) echo "$CREATED" ;;
  'run list') echo "$SUCCEEDED" ;;
  'issue list') [ ! -f "$HOME/issue" ] || echo 7 ;;
  'issue create') printf '%s\\n' "$@" > "$HOME/issue"; cat "\${@: -1}" > "$HOME/issue.md" ;;
  'issue edit') printf '%s\\n' "$@" > "$HOME/edit"; cat "\${@: -1}" > "$HOME/issue.md" ;;
  'issue comment') printf '%s\\n' "$@" > "$HOME/comment" ;;
  *) exit 1 ;;
esac
`;

type Variables = Readonly<Record<string, string>>;

/** A checkout of a fork, like the one in which the workflow runs. */
interface Repository {
  /** The upstream's responses, which tests change before a refresh. */
  readonly answers: Record<Kind, Answer[]>;
  readonly upstream: string;
  /** Set `broken` to make the upstream respond with 404. */
  readonly state: { broken: boolean };
  readonly home: string;
  readonly work: string;
  git(...args: string[]): Promise<string>;
  /** Runs a script, such as `commit --push`. Returns stderr if it fails. */
  step(line: string, more?: Variables): Promise<string | undefined>;
  /** Runs the workflow's steps up to the first failure. */
  refresh(more?: Variables): Promise<string | undefined>;
  /** Makes the remote refuse pushes to the default branch. */
  protect(): void;
  /** Renames the second move in the upstream. */
  rename(name: string): void;
  /** Returns the text that the last script printed on stdout. */
  printed(): string;
  /** Reads a file. Paths are relative to the checkout. */
  read(file: string): string;
  has(file: string): boolean;
  outcome(): string;
  /** Returns the subjects of the remote's commits, with the newest first. */
  log(branch?: string): Promise<string[]>;
  /** Prints nothing if the checkout has no changes. */
  status(): Promise<string>;
}

/**
 * Git refuses to commit without an author. Only the scripts set one, so the tests
 * set their own.
 */
const AUTHOR = ['-c', 'user.name=o', '-c', 'user.email=o@example.test'];

/**
 * Creates a checkout with a snapshot of an upstream, its remote, and a `gh` that
 * records its calls. The snapshot is the first commit, so that each refresh finds
 * only what a test changes afterwards.
 */
async function createRepository(): Promise<Repository> {
  const answers = tinyUpstream();
  const state = { broken: false };
  const { url: upstream } = await serveUpstream(upstreamOf(answers), {
    fault(_, response) {
      if (state.broken) response.writeHead(404).end();
      return state.broken;
    },
  });
  const home = temporaryFolder(findMemoryForPrograms());
  const remote = path.join(home, 'remote.git');
  const work = path.join(home, 'work');
  const bin = path.join(home, 'bin');
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    GITHUB_REF_NAME: 'trunk',
    GITHUB_REPOSITORY: 'o/r',
    GITHUB_SERVER_URL: 'https://forge.test',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  async function git(...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, { cwd: work, env });
    return stdout.trim();
  }
  mkdirSync(work);
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'gh'), gh, { mode: 0o755 });
  await git('init', '--quiet', '--bare', '--initial-branch=trunk', remote);
  await git('clone', '--quiet', remote, '.');
  await git('checkout', '--quiet', '-b', 'trunk');
  for (const name of ['scripts/refresh', 'scripts/gamedata.mjs']) {
    cpSync(path.join(ROOT, name), path.join(work, name), { recursive: true });
  }
  // Uploads in the browser lose the executable bit.
  for (const name of readdirSync(path.join(work, 'scripts/refresh'))) {
    chmodSync(path.join(work, 'scripts/refresh', name), 0o644);
  }
  await snapshot({
    upstream,
    cache: temporaryFolder(),
    maxShrink: 100,
    data: path.join(work, 'data'),
  });
  install(work);
  const ignored = ['build/', 'build.data/', '.cache/', 'dist/', ...LINKED];
  writeFileSync(path.join(work, '.gitignore'), `${ignored.join('\n')}\n`);
  await git('add', '.');
  await git(...AUTHOR, 'commit', '-qm', 'Begin');
  await git('push', '--quiet', 'origin', 'trunk');

  const read = (file: string): string =>
    readFileSync(path.resolve(work, file), 'utf8');
  let printed = '';
  async function step(
    line: string,
    more: Variables = {},
  ): Promise<string | undefined> {
    const [name, ...args] = line.split(' ');
    const command = ['bash', `scripts/refresh/${name}.sh`, ...args];
    const options = {
      cwd: work,
      env: { ...env, REFRESH_UPSTREAM: upstream, ...more },
    };
    const { code, stdout, stderr } = await runProgram(command, options);
    printed = stdout;
    return code === 0 ? undefined : stderr;
  }
  return {
    answers,
    upstream,
    state,
    home,
    work,
    git,
    step,
    read,
    async refresh(more: Variables = {}): Promise<string | undefined> {
      const problem = await step('refresh', more);
      if (problem !== undefined) return problem;
      return step('commit --push', more);
    },
    protect() {
      const hook = path.join(remote, 'hooks/update');
      writeFileSync(hook, '#!/bin/sh\ntest "$1" != refs/heads/trunk\n', {
        mode: 0o755,
      });
    },
    rename(name: string) {
      Object.assign(answers.move[1] as Answer, { name });
    },
    printed: () => printed,
    has: (file: string) => existsSync(path.resolve(work, file)),
    outcome: () => read('.cache/refresh/outcome.txt').trim(),
    async log(branch = 'trunk'): Promise<string[]> {
      const subjects = await git('--git-dir', remote, 'log', '--format=%s', branch);
      return subjects.split('\n');
    },
    status: () => git('status', '--porcelain'),
  };
}

function readMeta(repo: Repository): Meta {
  const json: unknown = JSON.parse(repo.read('build/meta.json'));
  return metaSchema.parse(json);
}

it('commits changed data with a description of the changes, and builds a site from it', async () => {
  const repo = await createRepository();
  repo.rename('renamed');
  repo.answers.move.push(moveAnswer(7));
  const output = path.join(repo.home, 'output');
  expect(await repo.refresh({ GITHUB_OUTPUT: output })).toBeUndefined();
  expect(repo.outcome()).toBe('outcome=changed');
  expect(repo.read(output)).toBe('base_url=\noutcome=changed\n');
  expect(await repo.log()).toEqual([
    'Refresh the data: 1 move added, 1 renamed',
    'Begin',
  ]);
  const message = await repo.git('log', '-1', '--format=%b|%an');
  expect(message).toContain('Moves added:\n  move-7 (id 7): "Move 7"\n');
  expect(message).toContain('Moves renamed:\n  move-2 → renamed (id 2)\n');
  expect(message).toMatch(/\|github-actions\[bot\]$/);
  const files = await repo.git('show', '--name-only', '--format=');
  expect(files.split('\n')).toEqual([
    'data/changes.json',
    'data/dataset.json',
    'data/move.ndjson',
    'data/names/en.json',
    'data/names/fr.json',
    'data/old-slugs.json',
  ]);
  expect(await repo.status()).toBe('');
  expect(readMeta(repo)).toMatchObject({
    source: 'rest',
    counts: { move: 4, item: 2 },
  });
});

it('builds the same site and commits nothing if the data is unchanged', async () => {
  const repo = await createRepository();
  repo.rename('renamed');
  expect(await repo.refresh()).toBeUndefined();
  const builtManifest = repo.read('build/manifest.json');
  expect(await repo.refresh()).toBeUndefined();
  expect(repo.outcome()).toBe('outcome=unchanged');
  expect(await repo.log()).toHaveLength(2);
  expect(repo.read('build/manifest.json')).toBe(builtManifest);
});

it('commits nothing without --push', async () => {
  const repo = await createRepository();
  repo.rename('renamed');
  await repo.step('refresh');
  for (const args of ['', ' --help', ' --dry-run']) {
    expect(await repo.step(`commit${args}`)).toBeUndefined();
    expect(repo.printed()).toContain(
      'commit.sh --push\nCommits data/ with this message',
    );
    expect(repo.printed()).toContain('Refresh the data: 1 move renamed');
  }
  expect(await repo.log()).toEqual(['Begin']);
  expect(await repo.git('log', '--format=%s')).toBe('Begin');
});

/** Pushes a commit from another clone, so that the checkout is behind its remote. */
async function pushFromAnotherClone(
  repo: Repository,
  subject: string,
): Promise<void> {
  const clone = path.join(repo.home, 'other');
  await repo.git('clone', '--quiet', path.join(repo.home, 'remote.git'), clone);
  const commit = ['commit', '--quiet', '--allow-empty', '-m', subject];
  await repo.git('-C', clone, ...AUTHOR, ...commit);
  await repo.git('-C', clone, 'push', '--quiet', 'origin', 'trunk');
}

it('rebases its commit if another commit was pushed during the refresh', async () => {
  const repo = await createRepository();
  repo.rename('renamed');
  await repo.step('refresh');
  await pushFromAnotherClone(repo, 'Do something else');
  expect(await repo.step('commit --push')).toBeUndefined();
  expect(await repo.log()).toEqual([
    'Refresh the data: 1 move renamed',
    'Do something else',
    'Begin',
  ]);
});

describe('refused data', () => {
  /** Creates a repository in which the guard has refused to let a move disappear. */
  async function refuseMissingMove() {
    const repo = await createRepository();
    repo.answers.move.pop();
    expect(await repo.refresh()).toContain('1 of 3 records are gone');
    return repo;
  }

  it('changes neither the snapshot nor the site if the data is refused', async () => {
    const repo = await refuseMissingMove();
    expect(repo.outcome()).toBe('outcome=refused');
    expect(await repo.log()).toEqual(['Begin']);
    expect(await repo.status()).toBe('');
    expect(repo.has('build')).toBe(false);
  });

  it('reports refused data in a single issue', async () => {
    const repo = await refuseMissingMove();
    expect(await repo.step('report refused')).toBeUndefined();
    expect(repo.read('../issue')).toMatch(
      /^issue\ncreate\n--title\nThe data was refused\n/,
    );
    expect(repo.read('../issue.md')).toContain(
      '\n    move: 1 of 3 records are gone, expected at most 1%: move-3\n',
    );
    expect(await repo.step('report refused')).toBeUndefined();
    expect(repo.read('../comment')).toMatch(/^issue\ncomment\n7\n/);
  });

  it('reports refused data in the job summary if issues are turned off', async () => {
    const repo = await refuseMissingMove();
    const summary = path.join(repo.home, 'summary');
    const off = { HAS_ISSUES: 'false', GITHUB_STEP_SUMMARY: summary };
    expect(await repo.step('report refused', off)).toBe('');
    expect(repo.has('../issue')).toBe(false);
    expect(repo.read(summary)).toMatch(
      /^## The data was refused\n\n[\s\S]*\n {4}move: 1 of 3 records are gone/,
    );
    expect(repo.printed()).toMatch(
      /^::error title=The data was refused::[^\n]*%0A {4}move: 1 of 3 records are gone[^\n]*at most 1%25: move-3[^\n]*\n$/,
    );
  });

  it('accepts refused data with the options that the issue names', async () => {
    const repo = await refuseMissingMove();
    expect(await repo.step('report refused')).toBeUndefined();
    const [, options = ''] =
      /allow this once with (.*)\.\n/.exec(repo.read('../issue.md')) ?? [];
    expect(await repo.refresh({ REFRESH_OPTIONS: options })).toBeUndefined();
    expect(await repo.log()).toEqual(['Refresh the data: 1 move removed', 'Begin']);
  });

  it("keeps the message inside the issue's indented block even if the upstream sends line breaks", async () => {
    const repo = await createRepository();
    const hostile = 'x\r\r@team\u2028# Heading';
    Object.assign(repo.answers.move[2] as Answer, { generation: { url: hostile } });
    expect(await repo.refresh()).toContain('move-3 (3)');
    const { error } = JSON.parse(repo.read('.cache/refresh/report.json'));
    expect(error.message).toContain('x\\r\\r@team\\u2028# Heading');
    // The command has escaped the message. The script must not rely on that.
    const report = { error: { ...error, message: hostile, hint: null } };
    const reportFile = path.join(repo.work, '.cache/refresh/report.json');
    writeFileSync(reportFile, JSON.stringify(report));
    expect(await repo.step('report refused')).toBeUndefined();
    expect(repo.read('../issue.md')).toContain('\n    x @team # Heading\n');
  });

  it('commits a snapshot without an unreadable record if the user asks to skip it', async () => {
    const repo = await createRepository();
    Object.assign(repo.answers.move[2] as Answer, { generation: { url: 'none' } });
    const options = '--skip move/3 --allow-missing move/move-3';
    expect(await repo.refresh({ REFRESH_OPTIONS: options })).toBeUndefined();
    expect(await repo.log()).toEqual(['Refresh the data: 1 move removed', 'Begin']);
  });
});

it('opens or updates a single pull request if the branch is protected', async () => {
  const repo = await createRepository();
  repo.protect();
  const output = path.join(repo.home, 'output');
  repo.rename('renamed');
  expect(await repo.refresh({ GITHUB_OUTPUT: output })).toBeUndefined();
  expect(repo.read(output)).toBe('base_url=\noutcome=changed\npushed=false\n');
  expect(await repo.log()).toEqual(['Begin']);
  const proposed = ['Refresh the data: 1 move renamed', 'Begin'];
  expect(await repo.log('refresh-data')).toEqual(proposed);
  expect(repo.read('../proposal')).toMatch(
    /^pr\ncreate\n--base\ntrunk\n--head\nrefresh-data\n--title\nRefresh the data\n/,
  );
  expect(repo.read('../proposal.md')).toMatch(/^ {4}Refresh the data: 1 move/);

  // The next refresh starts from the default branch and replaces the open proposal.
  await repo.git('reset', '--quiet', '--hard', 'origin/trunk');
  rmSync(path.join(repo.home, 'proposal.md'));
  repo.rename('renamed-again');
  expect(await repo.refresh()).toBeUndefined();
  expect(await repo.log('refresh-data')).toEqual(proposed);
  expect(repo.has('../proposal.md')).toBe(false);
});

/** The reason that GitHub prints with its default settings. */
const FORBIDDEN =
  'pull request create failed: GraphQL: GitHub Actions is not permitted to create or approve pull requests (createPullRequest)';

it('opens one issue that names the branch if GitHub does not permit a pull request', async () => {
  const repo = await createRepository();
  repo.protect();
  const output = path.join(repo.home, 'output');
  repo.rename('renamed');
  expect(await repo.refresh({ GITHUB_OUTPUT: output, FORBIDDEN })).toBeUndefined();
  expect(repo.read(output)).toContain('pushed=false\n');
  expect(await repo.log('refresh-data')).toEqual([
    'Refresh the data: 1 move renamed',
    'Begin',
  ]);
  expect(repo.read('../issue')).toMatch(
    /^issue\ncreate\n--title\nThe refreshed data waits for a pull request\n/,
  );
  const text = repo.read('../issue.md');
  expect(text).toContain(`\n    ${FORBIDDEN}\n`);
  expect(text).toContain(
    'https://forge.test/o/r/compare/trunk...refresh-data?expand=1\n',
  );
  expect(text).toContain('\n    Refresh the data: 1 move renamed\n');

  await repo.git('reset', '--quiet', '--hard', 'origin/trunk');
  repo.answers.move.push(moveAnswer(7));
  expect(await repo.refresh({ FORBIDDEN })).toBeUndefined();
  expect(repo.read('../edit')).toMatch(/^issue\nedit\n7\n/);
  expect(repo.read('../issue.md')).toContain(
    'Refresh the data: 1 move added, 1 renamed',
  );
});

describe('a failed refresh', () => {
  /** Refreshes, and expects that neither the remote nor the checkout changes. */
  async function expectRefusal(
    repo: Repository,
    variables: Variables,
    problem: string,
  ) {
    expect(await repo.refresh(variables)).toContain(problem);
    expect(await repo.log()).toEqual(['Begin']);
    expect(await repo.status()).toBe('');
  }

  it('changes nothing if the upstream fails', async () => {
    const repo = await createRepository();
    repo.state.broken = true;
    await expectRefusal(repo, {}, 'got 404');
    expect(repo.outcome()).toBe('outcome=failed');
  });

  const invalidVariables: readonly [Variables, problem: string][] = [
    [{ REFRESH_OPTIONS: '--skip item/potion' }, 'item/potion'],
    [{ REFRESH_SOURCE: 'none' }, 'none'],
  ];

  it('changes nothing if a variable is invalid', async () => {
    const repo = await createRepository();
    for (const [variables, problem] of invalidVariables) {
      await expectRefusal(repo, variables, problem);
    }
  });
});

it('accepts variables whose values were pasted with line breaks', async () => {
  const repo = await createRepository();
  const output = path.join(repo.home, 'output');
  repo.answers.move.pop();
  const pasted = {
    BASE_URL: '\r\n https://games.test/\r\n',
    GITHUB_OUTPUT: output,
    REFRESH_UPSTREAM: ` ${repo.upstream}\r\n`,
    REFRESH_SOURCE: '\n',
    REFRESH_HOSTS: 'nginx\r\ncaddy\n',
    REFRESH_OPTIONS: '--allow-missing\titem/none\n\tmove/move-3\r\n',
  };
  expect(await repo.refresh(pasted)).toBeUndefined();
  expect(repo.read(output)).toContain('base_url=https://games.test/\n');
  expect(readMeta(repo)).toMatchObject({
    source: 'rest',
    base_url: 'https://games.test',
  });
  expect(repo.has('build/_hosts/nginx.conf')).toBe(true);
  expect(repo.has('build/_hosts/Caddyfile')).toBe(true);
});

it('reads corrected tables if a variable selects them', async () => {
  const repo = await createRepository();
  Object.assign(repo.answers.move[0] as Answer, { names: english('Corrected') });
  const tables = tablesOf(upstreamOf(repo.answers));
  const server = await startServer((response, { url = '' }) => {
    const { pathname } = new URL(url, 'http://localhost');
    response.end(tables[path.basename(pathname)]);
  });
  const variables = {
    REFRESH_SOURCE: 'csv',
    REFRESH_UPSTREAM: `${server.url}/data/v2/csv`,
  };
  expect(await repo.refresh(variables)).toBeUndefined();
  expect(await repo.git('log', '-1', '--format=%B')).toContain('"Corrected"');
  expect(readMeta(repo)).toMatchObject({
    source: 'csv',
    upstream: variables.REFRESH_UPSTREAM,
  });
});

/**
 * Creates a copy of the data as another job's artifact. It has changed files, a missing
 * file, a symlink, and files of unknown names. Scripts and the configuration
 * of Git in it would create the file `victim` if they were run.
 */
async function createHostileArtifact(repo: Repository, victim: string) {
  const artifact = path.join(repo.home, 'artifact');
  const data = path.join(artifact, 'data');
  cpSync(path.join(repo.work, 'data'), data, { recursive: true });
  const changed = ['move.ndjson', 'changes.json', 'old-slugs.json', 'LICENSE.txt'];
  for (const file of changed) writeFileSync(path.join(data, file), 'theirs');
  rmSync(path.join(data, 'names/fr.json'));
  rmSync(path.join(data, 'item.ndjson'));
  symlinkSync('/etc/passwd', path.join(data, 'item.ndjson'));

  const gitFolder = path.join(data, 'x');
  const monitor = `touch ${victim}; false`;
  await repo.git('init', '--quiet', gitFolder);
  await repo.git('-C', gitFolder, 'config', 'core.fsmonitor', monitor);

  const scripts = path.join(artifact, 'scripts/refresh');
  mkdirSync(scripts, { recursive: true });
  writeFileSync(path.join(scripts, 'commit.sh'), `touch ${victim}`);
  const cache = path.join(artifact, '.cache/refresh');
  mkdirSync(cache, { recursive: true });
  const message = 'Refresh the data: as they say\n';
  writeFileSync(path.join(cache, 'message.txt'), message);
  writeFileSync(path.join(cache, 'evil.sh'), `touch ${victim}`);
  return artifact;
}

it("copies only regular files with known names from another job's artifact", async () => {
  const repo = await createRepository();
  const victim = path.join(repo.home, 'victim');
  const artifact = await createHostileArtifact(repo, victim);
  expect(await repo.step(`receive ${artifact}`)).toBeUndefined();
  expect(repo.read('data/move.ndjson')).toBe('theirs');
  const status = await repo.status();
  const changes = status.split('\n').map((line) => line.trim());
  expect(changes).toEqual([
    'M data/changes.json',
    'D data/item.ndjson',
    'M data/move.ndjson',
    'D data/names/fr.json',
    'M data/old-slugs.json',
  ]);
  expect(repo.has('.cache/refresh/evil.sh')).toBe(false);
  expect(await repo.step('commit --push')).toBeUndefined();
  expect(await repo.log()).toEqual(['Refresh the data: as they say', 'Begin']);
  expect(repo.has(victim)).toBe(false);
});

it.each(['rest', 'snapshot'])(
  'builds the same site on Netlify as in the workflow with the source %s',
  async (source) => {
    const repo = await createRepository();
    repo.rename('renamed');
    const address = 'https://gamedata.test';
    expect(await repo.refresh({ BASE_URL: address })).toBeUndefined();
    const cwd = path.join(repo.home, 'netlify');
    await repo.git('clone', '--quiet', path.join(repo.home, 'remote.git'), cwd);
    install(cwd);
    const env = {
      PATH: process.env.PATH,
      NETLIFY: 'true',
      CONTEXT: 'production',
      URL: address,
    };
    const upstream = source === 'rest' ? ['--upstream', repo.upstream] : [];
    const options = ['--source', source, ...upstream];
    await run('node', ['scripts/gamedata.mjs', 'build', ...options], { cwd, env });
    const built = repo.read('../netlify/build/manifest.json');
    expect(built).toBe(repo.read('build/manifest.json'));
    expect(built).toContain('"changes.json"');
  },
);

it('also builds a site for GitHub Pages if its address is set', async () => {
  const repo = await createRepository();
  const pages = { PAGES_URL: 'https://o.github.test/r' };
  expect(await repo.step('refresh', pages)).toBeUndefined();
  const meta: unknown = JSON.parse(repo.read('.cache/refresh/pages/meta.json'));
  expect(meta).toMatchObject({
    base_url: pages.PAGES_URL,
    hosts: ['github-pages'],
  });
});

describe('the check of the last successful refresh', () => {
  const DAY_MS = 86_400_000;

  function daysAgo(days: number): string {
    const time = new Date(Date.now() - days * DAY_MS);
    return time.toISOString();
  }

  it('re-enables the schedule, and opens no issue if the last success is at most a week old', async () => {
    const repo = await createRepository();
    const variables = { SUCCEEDED: daysAgo(7) };
    expect(await repo.step('report failed', variables)).toBeUndefined();
    expect(repo.printed()).toBe('the last successful refresh is 7 days old\n');
    const calls = repo.read('../asked');
    expect(calls).toContain(
      '--workflow refresh.yml --branch trunk --status success',
    );
    expect(calls).toMatch(
      /^api --silent --method PUT repos\/o\/r\/actions\/workflows\/refresh\.yml\/enable\n/,
    );
    expect(repo.has('../issue')).toBe(false);
  });

  it.each([
    ['old', { SUCCEEDED: daysAgo(8.5) }, /has not succeeded since \d{4}-/],
    [
      'missing',
      { SUCCEEDED: '', CREATED: daysAgo(9) },
      /has not succeeded since it was set up, \d{4}-/,
    ],
  ])(
    'opens a single issue after a week without success if the last success is %s',
    async (_, state, reason) => {
      const repo = await createRepository();
      expect(await repo.step('report failed', state)).toBeUndefined();
      expect(repo.read('../issue')).toMatch(
        /^issue\ncreate\n--title\nThe data is no longer refreshed\n/,
      );
      const text = repo.read('../issue.md');
      expect(text).toMatch(reason);
      expect(text).toContain('https://forge.test/o/r/actions/workflows/refresh.yml');
      expect(await repo.step('report failed', state)).toBeUndefined();
      expect(repo.printed()).toContain('an issue is already open');
      expect(repo.has('../comment')).toBe(false);
    },
  );
});
