import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished, vi } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { testClient } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';

/**
 * Starts a server that requires a client certificate. Node's own servers do not send
 * a TLS alert.
 */
async function startStrictServer(): Promise<string> {
  const { cert, key } = makeCertificate(temporaryFolder());
  const args = [
    's_server',
    '-accept',
    '127.0.0.1:0',
    '-cert',
    cert,
    '-key',
    key,
    '-www',
    '-Verify',
    '1',
    '-verify_return_error',
  ];
  const server = spawn('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void server.kill());
  for await (const line of createInterface(server.stdout)) {
    // The server prints the port that it has chosen.
    const [, port] = /^ACCEPT .*:(\d+)$/.exec(line) ?? [];
    if (port !== undefined) return `https://127.0.0.1:${port}/`;
  }
  throw new Error('openssl did not start');
}

it.skipIf(missingOpenssl())(
  'reports the alert of a server that requires a client certificate',
  async () => {
    const url = await startStrictServer();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });
    await expect(testClient().get(url, decodeJson)).rejects.toMatchObject({
      message: `GET ${url}: tlsv13 alert certificate required (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)`,
      hint: expect.stringContaining('wants no client certificate'),
      request: { unreachable: false, attempts: 1 },
    });
  },
);
