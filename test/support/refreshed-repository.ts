import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { runProgram } from './run-cli.ts';
import { temporaryFolder } from './temporary.ts';
import { serveUpstream } from './test-upstream.ts';
import { tinyUpstream, upstreamOf } from './upstream-data.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const run = promisify(execFile);

const environment = (home: string) => ({
  PATH: `${path.join(home, 'bin')}:${process.env.PATH}`,
  HOME: home,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GITHUB_REF_NAME: 'trunk',
});

const LINKED = ['node_modules', 'public', 'package.json'];

/** Copies the compiled package into a checkout, whose data set it then uses. */
export function install(checkout: string): void {
  cpSync(path.join(ROOT, 'dist'), path.join(checkout, 'dist'), { recursive: true });
  for (const name of LINKED) symlinkSync(path.join(ROOT, name), path.join(checkout, name));
}

/** Creates a repository with a snapshot of an upstream, a remote, and a `gh` that records its arguments. */
export async function repository() {
  const answers = tinyUpstream();
  const state = { broken: false };
  const upstream = await serveUpstream(upstreamOf(answers), {
    fault: (_, response) => state.broken && Boolean(response.writeHead(404).end()),
  });
  const home = temporaryFolder();
  const [remote, work] = [path.join(home, 'remote.git'), path.join(home, 'work')];
  const env = environment(home);
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: work, env })).stdout.trim();
  mkdirSync(work);
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=trunk', remote], { env });
  await git('clone', '--quiet', remote, '.');
  await git('checkout', '--quiet', '-b', 'trunk');
  for (const name of ['scripts/refresh', 'scripts/gamedata.mjs'])
    cpSync(path.join(ROOT, name), path.join(work, name), { recursive: true });
  await snapshot({ upstream: upstream.url, cache: false, maxShrink: 100, data: path.join(work, 'data') });
  install(work);
  writeFileSync(
    path.join(work, '.gitignore'),
    ['build/', 'build-archives/', '.cache/', 'dist/', ...LINKED, ''].join('\n'),
  );
  await git('add', '.');
  await git('-c', 'user.name=operator', '-c', 'user.email=o@example.test', 'commit', '-qm', 'Begin');
  await git('push', '--quiet', 'origin', 'trunk');

  mkdirSync(path.join(home, 'bin'));
  writeFileSync(path.join(home, 'bin/gh'), gh, { mode: 0o755 });

  const read = (file: string): string => readFileSync(path.resolve(work, file), 'utf8');
  let printed = '';
  /** Runs a script. Returns stderr if it fails. */
  async function step(
    line: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string | undefined> {
    const command = ['bash', '-c', `scripts/refresh/${line.replace(/^\w+/, '$&.sh')}`];
    const options = { cwd: work, env: { ...env, REFRESH_UPSTREAM: upstream.url, ...more } };
    const { code, stdout, stderr } = await runProgram(command, options);
    printed = stdout;
    return code === 0 ? undefined : stderr;
  }
  return {
    answers,
    upstream: upstream.url,
    state,
    home,
    work,
    git,
    step,
    /** Runs the steps of the workflow up to the first failure. */
    async refresh(more: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
      return (await step('refresh', more)) ?? (await step('commit --push', more));
    },
    printed: () => printed,
    read,
    has: (file: string) => existsSync(path.resolve(work, file)),
    outcome: () => read('.cache/refresh/outcome.txt').trim(),
    /** Subjects of the remote's commits, newest first. */
    log: async () => (await git('--git-dir', remote, 'log', '--format=%s', 'trunk')).split('\n'),
  };
}

/** From the second time on, an issue is open. */
const gh = `#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$HOME/asked"
case "$1 $2" in
  'api --silent') ;;
  'api repos/{owner}/{repo}') echo "\${HAS_ISSUES:-true}" ;;
  'pr list') [ ! -f "$HOME/proposal" ] || echo 8 ;;
  'pr create') printf '%s\\n' "$@" > "$HOME/proposal"; cat "\${@: -1}" > "$HOME/proposal.md" ;;
  'api repos/'*) echo "$CREATED" ;;
  'run list') echo "$SUCCEEDED" ;;
  'issue list') [ ! -f "$HOME/issue" ] || echo 7 ;;
  'issue create') printf '%s\\n' "$@" > "$HOME/issue"; cat "\${@: -1}" > "$HOME/issue.md" ;;
  'issue comment') printf '%s\\n' "$@" > "$HOME/comment" ;;
  *) exit 1 ;;
esac
`;
