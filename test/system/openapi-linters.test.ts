import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { renamedSnapshot } from '../support/renamed-snapshot.ts';
import { temporaryFolder } from '../support/temporary.ts';

const SPECTRAL = '@stoplight/spectral-cli/dist/index.js';
const missing = missingEngine(SPECTRAL);
const reason = missing === undefined || process.env.ENGINES === 'all' ? '' : ` (skipped: ${missing})`;

it.skipIf(reason !== '').each(['query', 'file'] as const)(
  `generates an OpenAPI document that passes Spectral, with %s links${reason}`,
  async (links) => {
    const folder = temporaryFolder();
    const out = path.join(folder, 'site');
    const upstream = renamedSnapshot(path.join(folder, 'data'), 120);
    const baseUrl = 'https://example.test';
    await build({ source: 'snapshot', upstream, baseUrl, out, links, archive: true, maxShrink: 100 });
    writeFileSync(path.join(out, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n');
    const args = ['lint', 'openapi.json', '--format', 'json', '--ruleset', 'ruleset.yaml', '--quiet'];
    const options = { cwd: out, encoding: 'utf8' } as const;
    const { stdout } = spawnSync(process.execPath, [engineFile(SPECTRAL), ...args], options);
    // The contract's paths end with a slash, the summary of an operation is complete, and there is no contact.
    const accepted = ['path-keys-no-trailing-slash', 'operation-description', 'info-contact'];
    const found: { code: string }[] = JSON.parse(stdout);
    expect(found.filter(({ code }) => !accepted.includes(code))).toEqual([]);
  },
);
