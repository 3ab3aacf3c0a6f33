import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { irregular, replaceBy } from '../support/irregular-files.ts';
import { callCli } from '../support/run-cli.ts';
import { sharedSite } from '../support/small-data.ts';

const { copied, described } = sharedSite();
const rebuild = `build --source snapshot --upstream ${described.upstream} --out site`;
const readers = ['verify site', 'mirror site --base-url https://other.test'];
const readersOfData = [...readers, 'diff site site'];

it.each([
  ['manifest.json', readers],
  ['meta.json', readersOfData],
  ['changes.json', readers],
  ['api/gamedata/move/index.json', readersOfData],
])('commands fail immediately if %s is not a regular file', async (file, commands) => {
  for (const [name, make] of Object.entries(irregular)) {
    const site = copied();
    const cwd = path.dirname(site);
    const run = (command: string) => callCli(command.split(' '), { cwd });
    replaceBy(make, path.join(site, file));
    for (const command of commands) {
      const { code, stderr } = await run(command);
      expect({ name, command, code }).toEqual({ name, command, code: 1 });
      expect(stderr).toContain(path.basename(file));
      expect(stderr).not.toMatch(/bug|^ {4}at /m);
    }
    const { code, stderr } = await run(rebuild);
    expect(stderr).not.toMatch(/bug|^ {4}at /m);
    if (code === 0) expect(await run('verify site')).toMatchObject({ code: 0 });
    expect(readdirSync(cwd).filter((entry) => entry.startsWith('.site'))).toEqual([]);
  }
});
