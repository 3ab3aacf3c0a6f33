/** Apache with a certificate of the operator's, and with directives of theirs. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { apache, main } from '../support/engines/apache.ts';
import { freePort, startProgram } from '../support/engines/process.ts';
import { findProgram } from '../support/engines/server-program.ts';
import { runProgram } from '../support/run-program.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

it.skipIf(apache.missing() ?? missingOpenssl())(
  'Apache keeps its guarantees over HTTPS, and includes what the operator adds',
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const at = (name: string): string => path.join(folder, name);
    const { cert, key } = makeCertificate(folder);
    const [port, httpsPort] = [await freePort(), await freePort()];
    const baseUrl = `https://localhost:${httpsPort}`;
    const data = await smallSource(rawRecords(120, 5));
    const site = { hosts: ['apache'], out: at('site'), baseUrl, tlsCert: cert, tlsKey: key } as const;
    await build({ ...data, ...site });
    mkdirSync(at('gamedata.d'));
    writeFileSync(at('gamedata.d/own.conf'), 'Header always set X-Mine yes\n');
    const include = `Include ${folder}/site.conf`;
    const text = main(folder, port, ['ssl', 'socache_shmcb', 'http2']);
    writeFileSync(at('apache.conf'), text.replace(include, `Include ${at('site/_hosts/apache.conf')}`));
    const running = await startProgram({
      command: findProgram('apache2') ?? 'apache2',
      args: ['-D', 'FOREGROUND', '-f', at('apache.conf')],
      url: `http://127.0.0.1:${port}`,
    });
    onTestFinished(running.stop);
    const env = { PATH: process.env.PATH ?? '', NODE_EXTRA_CA_CERTS: cert };
    const verified = await runProgram(process.execPath, [CLI, 'verify', baseUrl, '--like', at('site')], {
      cwd: folder,
      env,
    });
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
    const asked = ['-s', '-o', '/dev/null', '-D', '-', '--http2', '--cacert', cert, `${baseUrl}/meta.json`];
    const { stdout } = await runProgram('curl', asked, { cwd: folder, env });
    expect(stdout).toMatch(/^HTTP\/2 200/);
    expect(stdout.toLowerCase()).toContain('x-mine: yes');
  },
);
