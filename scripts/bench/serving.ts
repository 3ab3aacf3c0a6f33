/** How fast a site is served, and what its front page costs a visitor. */

import { gzipSync } from 'node:zlib';
import { chromium, type Response } from 'playwright-core';
import type { RunningEngine } from '../../test/support/engines/engine.ts';
import { nginx } from '../../test/support/engines/nginx.ts';
import { freePort, startProgram } from '../../test/support/engines/process.ts';
import { findProgram } from '../../test/support/engines/server-program.ts';
import type { Checkout } from './builds.ts';
import type { DataFolders } from './data.ts';
import { type Figures, medians, run } from './measure.ts';

/** nginx has no rule for any window, `gamedata serve` makes each of the records: so nginx is asked for a built page. */
const paths = [
  { what: 'record', serve: 'move/pound/?format=api', nginx: 'move/pound/?format=api' },
  { what: 'window', serve: 'move/?limit=100&offset=150', nginx: 'move/?format=api&limit=100&offset=100' },
];

export async function measureServing(
  checkouts: readonly Checkout[],
  { data, rounds }: { data: DataFolders; rounds: number },
): Promise<Figures> {
  const servers = new Map<string, RunningEngine>();
  const figures = new Map<string, number>();
  try {
    for (const { name, at, build, gamedata } of checkouts) {
      run(build('served', '--source', 'snapshot', '--upstream', data.snapshot, '--host', 'nginx'));
      const port = String(await freePort());
      const [command = '', ...args] = gamedata('serve', at('served'), '--port', port);
      const server = await startProgram({ command, args, url: `http://127.0.0.1:${port}` });
      servers.set(`${name}serve`, server);
      if (name === '') servers.set('nginx', await nginx.start(at('served')));
      const bodies = await visit(server.url);
      const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
      figures.set(`${name}front page: kilobytes`, bytes / 1000);
      figures.set(`${name}front page: requests`, bodies.length);
    }
    const rates = medians(rounds, () =>
      [...servers].flatMap(([server, { url }]) =>
        paths.map((of): [string, number] => {
          const address = `${url}/api/gamedata/${server === 'nginx' ? of.nginx : of.serve}`;
          return [`${server}: ${of.what}`, requestRate(address)];
        }),
      ),
    );
    return new Map([...figures, ...rates]);
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

/** A second. */
function requestRate(url: string): number {
  const { stdout } = run(['wrk', '-t1', '-c32', '-d1s', url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/** All bodies that a first visit loads. */
async function visit(url: string): Promise<Buffer[]> {
  const executablePath = findProgram('chromium') ?? 'chromium';
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    const responses: Response[] = [];
    page.on('response', (response) => void responses.push(response));
    await page.goto(url, { waitUntil: 'networkidle' });
    return await Promise.all(
      responses.map((one) => (one.request().method() === 'HEAD' ? Buffer.alloc(0) : one.body())),
    );
  } finally {
    await browser.close();
  }
}
