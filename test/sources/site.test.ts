import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { folderPlace } from '../../src/sources/site/place.ts';
import { openSite } from '../../src/sources/site/read.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe('the description of a site', () => {
  it.each([
    ['that is not there', undefined, 'has no valid meta.json: ENOENT'],
    ['that is no JSON', '{', 'has no valid meta.json: invalid JSON'],
    ['that lacks a field', '{"format":1}', 'has no valid meta.json: generator: got nothing: expected string'],
    ['of a newer version', '{"format":2}', 'meta.json has format 2, this version of gamedata reads format 1'],
  ])('%s is refused, with its folder', (_, text, problem) => {
    const folder = path.join(temporaryFolder(), 'site');
    mkdirSync(folder);
    if (text !== undefined) writeFileSync(path.join(folder, 'meta.json'), text);
    writeFileSync(path.join(folder, 'manifest.json'), '{"generator":"gamedata/1","files":[]}');
    const read = () => openSite(folderPlace(folder));
    expect(read).toThrow(OutputError);
    expect(read).toThrow(problem);
    expect(read).toThrow(folder);
  });
});
