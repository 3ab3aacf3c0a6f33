import { describe, expect, it } from 'vitest';
import { verify } from '../../../src/cli/commands/verify.ts';
import { apache } from '../../support/engines/apache.ts';
import { caddy } from '../../support/engines/caddy.ts';
import { nginx } from '../../support/engines/nginx.ts';
import { serve } from '../../support/engines/serve.ts';
import { pythonHttpServer } from '../../support/engines/static.ts';
import { ground } from '../../support/icon-upstream.ts';

describe.each([
  { engine: serve, links: 'query', level: 'full' },
  { engine: nginx, links: 'query', level: 'static' },
  { engine: caddy, links: 'query', level: 'static' },
  { engine: apache, links: 'query', level: 'static' },
  { engine: pythonHttpServer, links: 'file', level: 'static' },
] as const)('a site with icons behind $engine.name', ({ engine, links, level }) => {
  it.skipIf(engine.missing()).each(['mirror', 'none'] as const)(
    'answers every icon with an image: %s',
    async (sprites) => {
      const { site, run } = await ground({ sprites, links, hosts: ['nginx', 'caddy', 'apache'] });
      await run();
      const running = await engine.start(site);
      try {
        const report = await verify(running.url, { level, linkBase: 'https://example.test' });
        const failed =
          'guarantees' in report ? report.guarantees.filter(({ failures }) => failures.length > 0) : report;
        expect(failed).toEqual([]);
        const other = await fetch(`${running.url}/sprites/items/no-such.png`, { redirect: 'manual' });
        expect(other.status).toBe(404);
      } finally {
        await running.stop();
      }
    },
  );
});
