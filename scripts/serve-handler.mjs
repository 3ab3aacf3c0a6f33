/** The handler of the `serve` package on a bare HTTP server: `node scripts/serve-handler.mjs <folder> <port>`. */

import { createServer } from 'node:http';
import handler from 'serve-handler';

const [folder, port] = process.argv.slice(2);
createServer((request, response) => handler(request, response, { public: folder })).listen(
  Number(port),
  '127.0.0.1',
);
