import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { buildImage } from '../support/dockerfile.ts';
import { nginx } from '../support/engines/nginx.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

describe('the Dockerfile', () => {
  it.skipIf(nginx.missing())(
    'builds an image whose nginx keeps every guarantee that is promised there',
    async () => {
      const { root, images } = buildImage({
        context: PROJECT,
        args: { SOURCE: 'snapshot', BASE_URL: 'https://example.test', SPRITES: 'none' },
        folder: temporaryFolder(),
      });
      expect(images).toEqual([expect.stringMatching(/^node:2[024]-slim$/), 'nginx:stable']);

      const site = path.join(root, 'srv/gamedata');
      expect(verifyFolder(site)).toMatchObject({ counts: { move: 746, item: 954 }, problems: [] });
      const configuration = readFileSync(path.join(root, 'etc/nginx/conf.d/default.conf'), 'utf8');
      expect(configuration).toBe(readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8'));
      expect(configuration).toContain("root '/srv/gamedata';");
      expect(configuration).toContain('listen 80;');

      const running = await nginx.start(site);
      try {
        const report = await verify(running.url, { linkBase: 'https://example.test' });
        expect(report).toMatchObject({ failed: 0, counts: { move: 746, item: 954 } });
      } finally {
        await running.stop();
      }
    },
  );
});
