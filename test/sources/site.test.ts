import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import type { SiteFile } from '../../src/contract/site-file.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { deploy } from '../support/deployed.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Builds from the site of these files, by the address at which it is deployed. */
async function rebuilt(files: readonly SiteFile[]) {
  const parent = temporaryFolder();
  const [site, out] = [path.join(parent, 'site'), path.join(parent, 'out')];
  await withOutput(site, ({ publish }) => publish(files));
  const { url } = await deploy(site);
  await build({ source: 'site', upstream: url, cache: false, retries: 0, baseUrl: 'https://new.test', out });
  return (file: string) => readFileSync(path.join(out, file), 'utf8');
}

describe('a deployment as a source', () => {
  it('keeps the redirects of a version that had no file of former slugs', async () => {
    const read = await rebuilt(
      renamedSite()
        .files()
        .filter(({ path: file }) => file !== 'former.json'),
    );
    expect(JSON.parse(read('moved.json'))).toEqual({
      '/api/gamedata/move/move-1/': '/api/gamedata/move/new/',
    });
  });
});
