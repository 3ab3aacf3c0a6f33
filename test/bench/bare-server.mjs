/**
 * Answers every request with the headers and the body that a URL has returned once.
 * No Node server that creates its responses can be faster: `node bare-server.mjs
 * <url> <port>`.
 */

import { createServer, get } from 'node:http';

const [url, port] = process.argv.slice(2);

/** Node adds these headers to every response itself. */
const ADDED_BY_NODE = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

function record(address) {
  return new Promise((resolve, reject) => {
    const request = get(address, async (response) => {
      const parts = [];
      for await (const part of response) parts.push(part);
      const { statusCode, headers } = response;
      for (const name of ADDED_BY_NODE) delete headers[name];
      resolve({ statusCode, headers, body: Buffer.concat(parts) });
    });
    request.on('error', reject);
  });
}

const { statusCode, headers, body } = await record(url);
const server = createServer((_, response) => {
  response.writeHead(statusCode, headers);
  response.end(body);
});
server.listen(Number(port), '127.0.0.1');
