import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { getRaw, statusOf } from '../support/serving.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const FROM = 'https://example.test/games/v2.1';

async function served(dir: string) {
  const server = await serve({ dir, port: 0 });
  onTestFinished(() => server.close());
  return { ...server, port: Number(new URL(server.url).port) };
}

async function builtSite(): Promise<string> {
  const out = path.join(temporaryFolder(), 'site');
  await build({ ...(await smallSource()), baseUrl: FROM, out, maxShrink: 100 });
  return out;
}

const locationOf = (answer: string): string | undefined => /^location: (.*)\r$/im.exec(answer)?.[1];

it('everything is below the path, and nothing beside it', async () => {
  const { url, port } = await served(await builtSite());
  expect(new URL(url).pathname).toBe('/games/v2.1');
  const ask = async (target: string): Promise<[number, string | undefined]> => {
    const answer = await getRaw(port, target);
    return [statusOf(answer), locationOf(answer)];
  };
  expect(await ask('/')).toEqual([302, '/games/v2.1/']);
  expect(await ask('/games/v2.1')).toEqual([301, '/games/v2.1/']);
  expect(await ask('/games/v2.1?x=1')).toEqual([301, '/games/v2.1/?x=1']);
  expect(await ask('/games/v2.1/')).toEqual([200, undefined]);
  expect(await ask('//games/v2.1/api/gamedata/move')).toEqual([301, '/games/v2.1/api/gamedata/move/']);
  expect(await ask('/games/v2.1/api/gamedata/move/?limit=7')).toEqual([200, undefined]);
  for (const outside of [
    '/meta.json',
    '/api/gamedata/move/',
    '/games/',
    '/games/v2x1/',
    '/games/v2.1x/meta.json',
  ])
    expect([outside, ...(await ask(outside))]).toEqual([outside, 404, undefined]);
});

it('another path is served as soon as a build has put the site there', async () => {
  const out = await builtSite();
  const { port } = await served(out);
  expect(statusOf(await getRaw(port, '/games/v2.1/meta.json'))).toBe(200);
  await build({ ...(await smallSource()), baseUrl: 'https://example.test/else', out });
  await expect.poll(async () => statusOf(await getRaw(port, '/else/meta.json')), { timeout: 5000 }).toBe(200);
  expect(statusOf(await getRaw(port, '/games/v2.1/meta.json'))).toBe(404);
});
