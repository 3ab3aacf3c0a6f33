/**
 * Requests a URL once, and sends the headers and the body of that response to every
 * client. No Node server that creates its responses can be faster:
 * `node bare-server.mjs <url> <port>`.
 */

import { createServer, get } from 'node:http';

const [url, port] = process.argv.slice(2);

/** Node adds these headers to every response itself. */
const ADDED_BY_NODE = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

function requestOnce(address) {
  return new Promise((resolve, reject) => {
    const request = get(address, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const { statusCode, headers } = response;
      for (const name of ADDED_BY_NODE) delete headers[name];
      resolve({ statusCode, headers, body: Buffer.concat(chunks) });
    });
    request.on('error', reject);
  });
}

const { statusCode, headers, body } = await requestOnce(url);
const server = createServer((_, response) => {
  response.writeHead(statusCode, headers);
  response.end(body);
});
server.listen(Number(port), '127.0.0.1');
