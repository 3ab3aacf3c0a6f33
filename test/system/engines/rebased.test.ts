import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { rebase } from '../../../src/cli/commands/rebase.ts';
import { verify } from '../../../src/cli/commands/verify.ts';
import { deploy } from '../../support/deployed.ts';
import type { Engine } from '../../support/engines/engine.ts';
import { serve } from '../../support/engines/serve.ts';
import { pythonHttpServer, serveStatic } from '../../support/engines/static.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const TO = 'http://localhost:8080/offline';

/** A copy of a deployment. */
async function copied(): Promise<string> {
  const parent = temporaryFolder();
  const [site, copy] = [path.join(parent, 'site'), path.join(parent, 'copy')];
  await build({ ...(await smallSource()), baseUrl: 'https://origin.test', out: site });
  const server = await deploy(site);
  await mirror(server.url, { out: copy });
  return copy;
}

describe.each<{ engine: Engine; links: 'query' | 'file'; level: 'static' | 'full' }>([
  { engine: serve, links: 'query', level: 'full' },
  { engine: pythonHttpServer, links: 'file', level: 'static' },
  { engine: serveStatic, links: 'file', level: 'static' },
])('a rebased copy behind $engine.name', ({ engine, links, level }) => {
  it.skipIf(engine.missing())('keeps every guarantee that is promised there', async () => {
    const copy = await copied();
    await rebase(copy, { baseUrl: TO, links });
    const running = await engine.start(copy);
    try {
      const report = await verify(running.url, { level, linkBase: TO });
      expect(report).toMatchObject({ failed: 0, counts: { move: 120, item: 5 } });
    } finally {
      await running.stop();
    }
  });
});
