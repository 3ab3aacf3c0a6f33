import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Programs that log their arguments. */
const tools = {
  npm: `#!/usr/bin/env bash
echo "npm $*" >> "$ASKED"
case "$*" in
  *signatures) exit "\${BAD_SIGNATURES:-0}" ;;
  pack*) touch "\${@: -1}/gamedata-1.2.3.tgz" ;;
esac
`,
  docker: `#!/usr/bin/env bash
echo "docker $*" >> "$ASKED"
case "$1" in
  login) cat >> "$ASKED" ;;
  buildx) [ "$2" = create ] || echo '{"containerimage.digest":"sha256:1"}' > "$RELEASE_WORK/image.json" ;;
esac
`,
  gh: '#!/usr/bin/env bash\necho "gh $*" >> "$ASKED"\n',
};

/** Runs the scripts of a release in a repository of its own, with programs that publish nothing. */
function createRelease({
  version = '1.2.3',
  repository = 'o/gamedata',
  changes = '## [1.2.3] - 2027-01-01',
  main = 'HEAD',
} = {}) {
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  mkdirSync(at('bin'));
  for (const [name, text] of Object.entries(tools)) writeFileSync(at(`bin/${name}`), text, { mode: 0o755 });
  writeFileSync(at('package.json'), JSON.stringify({ version, repository }));
  writeFileSync(at('CHANGELOG.md'), `# Changelog\n\n${changes}\n`);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=o', '-c', 'user.email=o@e.test', ...args], { cwd: folder });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
  git('commit', '--quiet', '--allow-empty', '--message', 'Go on');
  git('update-ref', 'refs/remotes/origin/trunk', main);
  const env = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    ASKED: at('asked'),
    RELEASE_WORK: at('work'),
    GITHUB_REF_NAME: 'v1.2.3',
    DEFAULT_BRANCH: 'trunk',
    REGISTRY: 'registry.test',
  };
  return {
    at,
    script: (line: string, { cwd = folder, ...more }: Record<string, string> = {}) => {
      const [name, ...args] = line.split(' ');
      return run(path.join(ROOT, 'scripts/release', `${name}.sh`), args, { cwd, env: { ...env, ...more } });
    },
    asked: () => (existsSync(at('asked')) ? readFileSync(at('asked'), 'utf8').trimEnd().split('\n') : []),
  };
}

describe('release scripts', () => {
  it('audit the dependencies', async () => {
    const { script, asked } = createRelease();
    await script('check');
    expect(asked()).toEqual(['npm audit --omit=dev', 'npm audit signatures']);
    await expect(script('check', { BAD_SIGNATURES: '1' })).rejects.toMatchObject({ code: 1 });
  });

  it.each([
    ['a version that differs from its tag', { version: '1.2.4' }, 'expected the tag v1.2.4, got v1.2.3'],
    ['no section in the changelog', { changes: '## [Unreleased]' }, 'has no section for 1.2.3'],
    ['a commit that is not on the default branch', { main: 'HEAD~1' }, 'v1.2.3 is not on trunk'],
    ['placeholders', { repository: 'OWNER/gamedata' }, 'package.json has placeholders'],
  ])('reject %s', async (_, state, problem) => {
    const { script, asked } = createRelease(state);
    await expect(script('check')).rejects.toMatchObject({ stderr: expect.stringContaining(problem) });
    expect(asked()).toEqual([]);
  });

  it('pack the package, and an archive of the bundled site with its checksum', async () => {
    const { at, script } = createRelease();
    await script('pack', { cwd: ROOT });
    expect(readdirSync(at('work')).sort()).toEqual([
      'gamedata-1.2.3.tgz',
      'gamedata.sha256',
      'gamedata.tar.gz',
    ]);
    await run('sha256sum', ['--check', 'gamedata.sha256'], { cwd: at('work') });
  });

  it('push an image for two architectures only with --push, and output its digest', async () => {
    const { at, script, asked } = createRelease();
    const actions = { GITHUB_REPOSITORY: 'Owner/gamedata', GITHUB_ACTOR: 'o', GH_TOKEN: 'secret' };
    expect((await script('image', actions)).stdout).toContain(
      'Pushes registry.test/owner/gamedata:1.2.3 and ',
    );
    expect(asked()).toEqual([]);
    await script('image --push', { ...actions, GITHUB_OUTPUT: at('output') });
    expect(readFileSync(at('output'), 'utf8')).toBe('name=registry.test/owner/gamedata\ndigest=sha256:1\n');
    const [login, token, , build, ...more] = asked();
    expect(login).toBe('docker login registry.test --username o --password-stdin');
    expect([token, more]).toEqual(['secret', []]);
    expect(build).toMatch(/^docker buildx build \. --push --platform linux\/amd64,linux\/arm64 /);
    expect(build).toMatch(
      / --tag registry\.test\/owner\/gamedata:1\.2\.3 --tag registry\.test\/owner\/gamedata:latest$/,
    );
  });

  it('publish only with --publish', async () => {
    const { at, script, asked } = createRelease();
    mkdirSync(at('work'));
    for (const name of ['gamedata-1.2.3.tgz', 'gamedata.tar.gz']) writeFileSync(at(`work/${name}`), '');
    expect((await script('publish')).stdout).toContain(
      '--publish\nPublishes these files:\ngamedata-1.2.3.tgz',
    );
    expect(asked()).toEqual([]);
    await script('publish --publish');
    expect(asked()).toEqual([
      `npm publish --provenance ${at('work')}/gamedata-1.2.3.tgz`,
      `gh release create v1.2.3 --verify-tag --generate-notes ${at('work')}/gamedata-1.2.3.tgz ${at('work')}/gamedata.tar.gz`,
    ]);
  });
});
