import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { build as buildSite } from '../../src/cli/commands/build.ts';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { freePort, startProgram } from '../support/engines/process.ts';
import {
  apache,
  createApacheMain,
  findProgram,
  replaceLines,
} from '../support/engines/web-servers.ts';
import { cliCommand, runProgram } from '../support/run-cli.ts';
import { rawMove, rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

it.skipIf(apache.missing() ?? missingOpenssl())(
  'Apache keeps its guarantees over HTTPS with deploy/tls/apache.conf, and redirects old slugs without a reload',
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const at = (name: string): string => path.join(folder, name);
    const { cert, key } = makeCertificate(folder);
    const [port, httpsPort] = [await freePort(), await freePort()];
    const baseUrl = `https://localhost:${httpsPort}`;
    const { move, item } = rawRecords(120, 5);
    const build = async (slug: string) => {
      const records = { item, move: [rawMove(1, { slug }), ...move.slice(1)] };
      return buildSite({
        ...(await smallSource(records)),
        hosts: ['apache'],
        out: at('site'),
        baseUrl,
      });
    };
    await build('old');
    const tls = replaceLines(
      readFileSync(new URL('../../deploy/tls/apache.conf', import.meta.url), 'utf8'),
      {
        '<VirtualHost *:443>': `Listen ${httpsPort}\n<VirtualHost *:${httpsPort}>`,
        '/etc/letsencrypt/live/example.org/fullchain.pem': cert,
        '/etc/letsencrypt/live/example.org/privkey.pem': key,
      },
    );
    const text = replaceLines(readFileSync(at('site/_hosts/apache.conf'), 'utf8'), {
      '<VirtualHost *:80>\n': tls,
    });
    writeFileSync(at('site.conf'), `Listen 127.0.0.1:${port}\n${text}`);
    writeFileSync(
      at('apache.conf'),
      createApacheMain(folder, ['ssl', 'socache_shmcb', 'http2']),
    );
    const running = await startProgram({
      command: findProgram('apache2') ?? 'apache2',
      args: ['-D', 'FOREGROUND', '-f', at('apache.conf')],
      url: `http://127.0.0.1:${port}`,
    });
    onTestFinished(running.stop);
    await build('renamed');
    const env = { NODE_EXTRA_CA_CERTS: cert };
    const options = { cwd: folder, env };
    const verified = await runProgram(
      [...cliCommand, 'verify', baseUrl, '--like', at('site')],
      options,
    );
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
    const old = `${baseUrl}/api/gamedata/move/old/`;
    const { stdout } = await runProgram(
      ['curl', '-sI', '--http2', '--cacert', cert, old],
      options,
    );
    expect(stdout).toMatch(/^HTTP\/2 301 .*\/move\/renamed\/\r\n/s);
  },
);
