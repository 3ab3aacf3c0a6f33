import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Programs that log their arguments. */
const tools = {
  npm: `#!/usr/bin/env bash
echo "npm $*" >> "$LOG"
case "$*" in
  *signatures) exit "\${BAD_SIGNATURES:-0}" ;;
  pack*) touch "\${@: -1}/gamedata-1.2.3.tgz" ;;
esac
`,
  docker: `#!/usr/bin/env bash
echo "docker $*" >> "$LOG"
case "$1" in
  login) cat >> "$LOG" ;;
  buildx) [ "$2" = create ] || echo '{"containerimage.digest":"sha256:1"}' > "$RELEASE_WORK/image.json" ;;
esac
`,
  gh: '#!/usr/bin/env bash\necho "gh $*" >> "$LOG"\n',
};

/**
 * Runs the release scripts in a separate repository, with programs that publish
 * nothing.
 */
function createRelease({
  version = '1.2.3',
  repository = 'o/gamedata',
  changes = '## [1.2.3] - 2027-01-01',
  branch = 'HEAD',
} = {}) {
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  mkdirSync(at('bin'));
  for (const [name, text] of Object.entries(tools)) {
    writeFileSync(at(`bin/${name}`), text, { mode: 0o755 });
  }
  writeFileSync(at('package.json'), JSON.stringify({ version, repository }));
  writeFileSync(at('CHANGELOG.md'), `# Changelog\n\n${changes}\n`);
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=o', '-c', 'user.email=o@e.test', ...args],
      {
        cwd: folder,
      },
    );
  git('init', '--quiet');
  for (const message of ['Begin', 'Go on']) {
    git('commit', '--quiet', '--allow-empty', '--message', message);
  }
  git('update-ref', 'refs/remotes/origin/trunk', branch);
  const env = {
    ...{
      PATH: `${at('bin')}:${process.env.PATH}`,
      LOG: at('log'),
      RELEASE_WORK: at('work'),
    },
    ...{
      GITHUB_REF_NAME: 'v1.2.3',
      DEFAULT_BRANCH: 'trunk',
      REGISTRY: 'registry.test\r\n',
    },
  };
  return {
    at,
    script: (
      line: string,
      { cwd = folder, ...more }: Record<string, string> = {},
    ) => {
      const [name, ...args] = line.split(' ');
      return run(
        'bash',
        [path.join(ROOT, 'scripts/release', `${name}.sh`), ...args],
        {
          cwd,
          env: { ...env, ...more },
        },
      );
    },
    readLog: () =>
      existsSync(at('log'))
        ? readFileSync(at('log'), 'utf8').trimEnd().split('\n')
        : [],
  };
}

it('audits the dependencies', async () => {
  const { script, readLog } = createRelease();
  await script('check');
  expect(readLog()).toEqual(['npm audit --omit=dev', 'npm audit signatures']);
  await expect(script('check', { BAD_SIGNATURES: '1' })).rejects.toMatchObject({
    code: 1,
  });
});

it.each([
  [
    'a version that differs from its tag',
    { version: '1.2.4' },
    'expected the tag v1.2.4, got v1.2.3',
  ],
  [
    'a missing changelog section',
    { changes: '## [Unreleased]' },
    'has no section for 1.2.3',
  ],
  ['a commit on another branch', { branch: 'HEAD~1' }, 'v1.2.3 is not on trunk'],
  [
    'placeholders',
    { repository: 'OWNER/gamedata' },
    'package.json has placeholders',
  ],
])('rejects %s', async (_, state, problem) => {
  const { script, readLog } = createRelease(state);
  await expect(script('check')).rejects.toMatchObject({
    stderr: expect.stringContaining(problem),
  });
  expect(readLog()).toEqual([]);
});

it('packs the package, and an archive of the bundled site with a checksum', async () => {
  const { at, script } = createRelease();
  await script('pack', { cwd: ROOT });
  expect(readdirSync(at('work')).sort()).toEqual([
    'gamedata-1.2.3.tgz',
    'gamedata.sha256',
    'gamedata.tar.gz',
  ]);
  await run('sha256sum', ['--check', 'gamedata.sha256'], { cwd: at('work') });
});

it("pushes an image for two architectures only with --push, and outputs the image's digest", async () => {
  const { at, script, readLog } = createRelease();
  const actions = {
    GITHUB_REPOSITORY: 'Owner/gamedata',
    GITHUB_ACTOR: 'o',
    GH_TOKEN: 'secret',
  };
  const image = 'registry.test/owner/gamedata';
  expect((await script('image', actions)).stdout).toContain(
    `Pushes ${image}:1.2.3 and `,
  );
  expect(readLog()).toEqual([]);
  await script('image --push', { ...actions, GITHUB_OUTPUT: at('output') });
  expect(readFileSync(at('output'), 'utf8')).toBe(
    `name=${image}\ndigest=sha256:1\n`,
  );
  expect(readLog()).toEqual([
    'docker login registry.test --username o --password-stdin',
    'secret',
    'docker buildx create --use',
    expect.stringMatching(
      /^docker buildx build \. --push --platform linux\/amd64,linux\/arm64 /,
    ),
  ]);
  expect(readLog().at(-1)).toContain(' --build-arg SOURCE=snapshot ');
  expect(readLog().at(-1)).toMatch(
    new RegExp(` --tag ${image}:1\\.2\\.3 --tag ${image}:latest$`),
  );
});

it('publishes the package and the release only with --publish', async () => {
  const { at, script, readLog } = createRelease();
  mkdirSync(at('work'));
  const files = ['gamedata-1.2.3.tgz', 'gamedata.tar.gz'].map((name) =>
    at(`work/${name}`),
  );
  for (const file of files) writeFileSync(file, '');
  expect((await script('publish')).stdout).toContain(
    '--publish\nPublishes these files:\ngamedata-1.2.3.tgz',
  );
  expect(readLog()).toEqual([]);
  await script('publish --publish');
  expect(readLog()).toEqual([
    `npm publish --provenance ${files[0]}`,
    `gh release create v1.2.3 --verify-tag --generate-notes ${files.join(' ')}`,
  ]);
});
