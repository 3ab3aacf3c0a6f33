/** Upstreams whose addresses look alike, read with one cache. */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Kind } from '../../src/contract/kinds.ts';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { otherKinds } from '../support/kinds.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const EDITION = { 'x-pokeapi-hash': 'a'.repeat(40), 'x-pokeapi-deploy-date': '1790000000' };
const META = JSON.stringify({ deploy_date: '1790000000', hash: 'a'.repeat(40), tag: null });

/** One port for http and https, with three upstreams of the same edition. Their first moves are named after their addresses. */
async function serveAlike(folder: string) {
  const { cert, key } = makeCertificate(folder);
  const log: string[] = [];
  const answer = (scheme: string) => (request: IncomingMessage, response: ServerResponse) => {
    const [, base = '', kind = '', id] = /^(.*)\/([a-z]+)\/(\d+)?/.exec(request.url ?? '') ?? [];
    log.push(`${scheme}:${base}`);
    const name = `of-${scheme}${base.replaceAll('/', '-slash-')}`;
    const answers = tinyUpstream();
    answers.move[0] = moveAnswer(1, { name });
    const data = upstreamOf(answers);
    response.writeHead(200, EDITION);
    if (kind === 'meta') return response.end(META);
    if (id !== undefined) return response.end(data.record(kind as Kind, Number(id)));
    const results = data
      .list(kind as Kind)
      .map((listed) => ({ name: listed.name, url: `${base}/${kind}/${listed.id}/` }));
    return response.end(JSON.stringify({ count: results.length, next: null, previous: null, results }));
  };
  const plain = createServer(answer('http'));
  const secure = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer('https'));
  const front = createRawServer((socket) =>
    socket.once('readable', () => {
      const first = socket.read() as Buffer;
      socket.unshift(first);
      // A TLS handshake begins with 22.
      (first[0] === 22 ? secure : plain).emit('connection', socket);
    }),
  );
  await new Promise<void>((resolve) => front.listen(0, 'localhost', resolve));
  onTestFinished(() => {
    front.close();
    for (const server of [plain, secure]) server.closeAllConnections();
  });
  return { host: `localhost:${(front.address() as AddressInfo).port}`, log, cert };
}

it.skipIf(missingOpenssl())(
  'each upstream has its own records, and is asked for them once, whatever was read before it',
  async () => {
    const folder = temporaryFolder();
    const { host, log, cert } = await serveAlike(folder);
    const firstMove = async (upstream: string) => {
      const before = log.length;
      const args = ['--source', 'rest', '--upstream', upstream, '--cache', 'cache', '--out', 'site'];
      const options = { cwd: folder, env: { NODE_EXTRA_CA_CERTS: cert } };
      const { code, stderr } = await runCli(['build', ...args, '--max-shrink', '100'], options);
      expect(code, stderr).toBe(0);
      const list = readFileSync(path.join(folder, 'site/api/gamedata/move/index.json'), 'utf8');
      return [JSON.parse(list).results[0].slug, log.length - before];
    };
    // Two lists and five records, and a list and a record of each other kind.
    const all = 7 + 2 * otherKinds.length;
    expect(await firstMove(`http://${host}/a/v2`)).toEqual(['of-http-slash-a-slash-v2', all]);
    expect(await firstMove(`https://${host}/a/v2`)).toEqual(['of-https-slash-a-slash-v2', all]);
    expect(await firstMove(`http://${host}/a/v2`)).toEqual(['of-http-slash-a-slash-v2', 1]);
    expect(await firstMove(`https://${host}/a/v2`)).toEqual(['of-https-slash-a-slash-v2', 1]);
    expect(await firstMove(`https://${host}/a-v2`)).toEqual(['of-https-slash-a-v2', all]);
    expect(await firstMove(`https://${host}/a/v2`)).toEqual(['of-https-slash-a-slash-v2', all]);
  },
);
