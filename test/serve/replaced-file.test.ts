/** A file that a build replaces after its headers were made, and before it is opened. */

import fs, { renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { serveSite } from '../support/serving.ts';

afterEach(() => void vi.restoreAllMocks());

/** Serves a file that is replaced as often as told while it is about to be opened. */
async function replacedWhileOpened(...bodies: string[]) {
  const { url, folder } = await serveSite({ extras: [{ path: 'note.txt', body: 'first' }] });
  const file = path.join(folder, 'note.txt');
  const real = fs.createReadStream;
  vi.spyOn(fs, 'createReadStream').mockImplementation((name, options) => {
    const body = bodies.shift();
    if (body !== undefined) {
      writeFileSync(`${file}.new`, body);
      renameSync(`${file}.new`, file);
    }
    return real(name, options);
  });
  return {
    address: `${url}/note.txt`,
    etag: () => `W/"${statSync(file).size.toString(16)}-${statSync(file).mtime.getTime().toString(16)}"`,
  };
}

it.each([[['another, which is longer']], [['new']], [['one', 'after', 'the other']]])(
  'is sent with its own headers: %j',
  async (bodies) => {
    const last = bodies.at(-1) ?? '';
    const { address, etag } = await replacedWhileOpened(...bodies);
    const response = await fetch(address);
    expect(await response.text()).toBe(last);
    expect(response.headers.get('content-length')).toBe(`${last.length}`);
    expect(response.headers.get('etag')).toBe(etag());
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  },
);

it('is sent as the range that is asked for, or whole if there is no such range any more', async () => {
  const { address } = await replacedWhileOpened('0123456789');
  const part = await fetch(address, { headers: { range: 'bytes=1-3' } });
  expect([part.status, await part.text()]).toEqual([206, '123']);
  vi.restoreAllMocks();
  const short = await replacedWhileOpened('x');
  const none = await fetch(short.address, { headers: { range: 'bytes=3-4' } });
  expect(none.status).toBe(416);
});
