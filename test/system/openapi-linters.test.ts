import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { renamedSnapshot } from '../support/renamed-snapshot.ts';
import { sharedFolder } from '../support/temporary.ts';

const SPECTRAL = '@stoplight/spectral-cli/dist/index.js';
const REDOCLY = '@redocly/cli/bin/cli.js';
const missing = missingEngine(SPECTRAL) ?? missingEngine(REDOCLY);
const reason = missing === undefined || process.env.ENGINES === 'all' ? '' : ` (skipped: ${missing})`;

/** Runs a linter, whose exit code counts its findings. */
function lint<T>(linter: string, args: readonly string[], cwd: string): T {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = ['lint', 'openapi.json', '--format', 'json', ...args];
  const { stdout, stderr } = spawnSync(process.execPath, [engineFile(linter), ...options], {
    ...{ cwd, encoding: 'utf8', env },
  });
  if (stdout === '') throw new Error(`${linter}: ${stderr}`);
  return JSON.parse(stdout);
}

const folder = sharedFolder();
beforeAll(async () => {
  const source = { source: 'snapshot', upstream: renamedSnapshot(path.join(folder, 'data'), 120) } as const;
  for (const links of ['query', 'file'] as const)
    await build({
      ...source,
      baseUrl: 'https://example.test',
      out: path.join(folder, links),
      links,
      archive: true,
    });
});

describe.skipIf(reason !== '').each([
  ['query', 1 + 2 * kindNames.length],
  ['file', 0],
])(`the OpenAPI document of a site with %s links${reason}`, (links, slashes) => {
  const site = path.join(folder, links);

  it('passes Spectral', () => {
    writeFileSync(path.join(site, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n');
    const found = lint<{ code: string }[]>(SPECTRAL, ['--ruleset', 'ruleset.yaml', '--quiet'], site);
    // The contract's paths end with a slash, the summary of an operation is complete, and there is no contact.
    const accepted = ['path-keys-no-trailing-slash', 'operation-description', 'info-contact'];
    expect(found.filter(({ code }) => !accepted.includes(code))).toEqual([]);
  });

  it('passes Redocly except for the final slashes', () => {
    const { problems } = lint<{ problems: { ruleId: string }[] }>(
      REDOCLY,
      ['--extends', 'recommended'],
      site,
    );
    const others = problems.filter(({ ruleId }) => ruleId !== 'no-path-trailing-slash');
    expect(others).toEqual([]);
    expect(problems).toHaveLength(slashes);
  });
});
