/** What other people's linters say of the OpenAPI document. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { LinkStyle } from '../../src/contract/paths.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { renamedSnapshot } from '../support/renamed-snapshot.ts';
import { sharedFolder } from '../support/temporary.ts';

const SPECTRAL = '@stoplight/spectral-cli/dist/index.js';
const REDOCLY = '@redocly/cli/bin/cli.js';
const missing = missingEngine(SPECTRAL) ?? missingEngine(REDOCLY);
const reason = missing === undefined || process.env.ENGINES === 'all' ? '' : ` (skipped: ${missing})`;

interface Finding {
  readonly rule: string;
  readonly isError: boolean;
  readonly place: string;
}

/** Runs a linter from npm, whose exit code counts its findings. */
function lint(linter: string, args: readonly string[], cwd: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [engineFile(linter), ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${linter}: got ${stdout}${stderr}, expected JSON`);
  }
}

function bySpectral(folder: string): Finding[] {
  writeFileSync(path.join(folder, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n');
  const args = ['lint', 'openapi.json', '--ruleset', 'ruleset.yaml', '--format', 'json', '--quiet'];
  const findings = lint(SPECTRAL, args, folder) as { code: string; severity: number; path: string[] }[];
  return findings.map(({ code, severity, path: place }) => ({
    rule: code,
    isError: severity === 0,
    place: place.join(' '),
  }));
}

function byRedocly(folder: string): Finding[] {
  const args = ['lint', 'openapi.json', '--extends', 'recommended', '--format', 'json'];
  const { problems } = lint(REDOCLY, args, folder) as {
    problems: { ruleId: string; severity: string; location: { pointer: string }[] }[];
  };
  return problems.map(({ ruleId, severity, location }) => ({
    rule: ruleId,
    isError: severity === 'error',
    place: location[0]?.pointer ?? '',
  }));
}

const parent = sharedFolder();
const site = (links: LinkStyle): string => path.join(parent, links);
beforeAll(async () => {
  const source = { source: 'snapshot', upstream: renamedSnapshot(path.join(parent, 'data'), 120) } as const;
  for (const links of ['query', 'file'] as const)
    await build({ ...source, baseUrl: 'https://example.test', out: site(links), links, archive: true });
});

describe.skipIf(reason !== '').each([
  ['endpoints', 'query'],
  ['files', 'file'],
] as const)(`the OpenAPI document of %s${reason}`, (_, links) => {
  it('has no error in Spectral, and warnings only about what the contract demands or prose', () => {
    const findings = bySpectral(site(links));
    expect(findings.filter(({ isError }) => isError)).toEqual([]);
    const rules = new Set(findings.map(({ rule }) => rule));
    expect([...rules].filter((rule) => !accepted.includes(rule))).toEqual([]);
  });

  it('has no error in Redocly but the slash with which the endpoints end', () => {
    const findings = byRedocly(site(links));
    const slashes = findings.filter(({ rule }) => rule === 'no-path-trailing-slash');
    expect(findings.filter((finding) => !slashes.includes(finding))).toEqual([]);
    expect(slashes).toHaveLength(links === 'file' ? 0 : 1 + 2 * kindNames.length);
  });
});

/** The contract's paths end with a slash, operations say everything in their summary, and whom to contact nobody was asked. */
const accepted = ['path-keys-no-trailing-slash', 'operation-description', 'info-contact'];
