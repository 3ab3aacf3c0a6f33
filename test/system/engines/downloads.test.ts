import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { commonHeaders, downloadHeaders, mediaTypeOf } from '../../../src/contract/headers.ts';
import { bulkFiles } from '../../../src/contract/paths.ts';
import { engines } from '../../support/engines/index.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const demandsAll = process.env.ENGINES === 'all';
const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** Who knows nothing but files is told nothing of types and headers. */
const hosted = engines.filter(({ links, fallback }) => links === 'query' && !fallback);
const specification = ['types.d.ts', 'schemas/move.json', 'openapi.json'];

for (const { engine } of hosted) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '')(`${engine.name}${reason}`, () => {
    test('sends bulk files and the specification as they are, by their types', async () => {
      expect(missing).toBeUndefined();
      const out = temporaryFolder();
      await build({
        source: 'snapshot',
        baseUrl: 'https://example.test',
        out,
        hosts: engine.host ? [engine.host] : [],
      });
      const { url, stop } = await engine.start(out);
      try {
        for (const file of [...bulkFiles, ...specification]) {
          const answer = await fetch(`${url}/${file}`, { headers: { Accept: 'text/html' } });
          const body = new Uint8Array(await answer.arrayBuffer());
          expect({ file, status: answer.status, sha256: sha256(body) }).toEqual({
            file,
            status: 200,
            sha256: sha256(readFileSync(path.join(out, file))),
          });
          const isPacked = /\.(?:gz|br)$/.test(file);
          const sent = (name: string): string | null => answer.headers.get(name);
          expect({ file, ...describeHeaders(sent, isPacked) }).toEqual({ file, ...expectedHeaders(file) });
        }
      } finally {
        await stop();
      }
    });
  });
}

function describeHeaders(sent: (name: string) => string | null, isPacked: boolean) {
  return {
    // Hosts may pack text on the way, and may say in what letters JSON is; what is packed stays so.
    type: sent('Content-Type')?.replace(/^(application\/json);.*$/, '$1'),
    encoding: isPacked ? sent('Content-Encoding') : null,
    language: sent('Content-Language'),
    disposition: sent('Content-Disposition'),
    origin: sent('Access-Control-Allow-Origin'),
    nosniff: sent('X-Content-Type-Options'),
  };
}

function expectedHeaders(file: string) {
  return {
    type: mediaTypeOf(file) ?? 'application/json',
    encoding: null,
    language: null,
    disposition: file.startsWith('download/') ? downloadHeaders['Content-Disposition'] : null,
    origin: commonHeaders['Access-Control-Allow-Origin'],
    nosniff: commonHeaders['X-Content-Type-Options'],
  };
}
