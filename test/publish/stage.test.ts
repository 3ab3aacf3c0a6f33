import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { createStage } from '../../src/publish/stage.ts';
import { temporaryFolder } from '../support/temporary.ts';

afterEach(() => void vi.restoreAllMocks());

function scene() {
  const parent = temporaryFolder();
  const published = path.join(parent, 'site');
  mkdirSync(published);
  writeFileSync(path.join(parent, 'outside'), 'mine');
  return { parent, stage: createStage(path.join(parent, 'new'), published) };
}

describe('a stage', () => {
  it.each(['../outside', '../other', 'a/../../other', '../new-other/x', '.'])('has no file at %j', (name) => {
    const { parent, stage } = scene();
    const body = new Uint8Array();
    expect(() => stage.write(name, [body], { replaces: false })).toThrow(
      new OutputError('is outside the output folder, and was not written', name),
    );
    expect(() => stage.keep(name)).toThrow(OutputError);
    expect(readFileSync(path.join(parent, 'outside'), 'utf8')).toBe('mine');
    expect(existsSync(path.join(parent, 'other'))).toBe(false);
    expect(existsSync(path.join(parent, 'new-other'))).toBe(false);
  });

  it('gives what replaces a file a time that is not before that of files staged in the same millisecond', () => {
    const { parent, stage } = scene();
    const second = 1_700_000_000;
    writeFileSync(path.join(parent, 'site/manifest.json'), 'old');
    utimesSync(path.join(parent, 'site/manifest.json'), second - 0.5, second - 0.5);
    stage.write('new.json', [new Uint8Array()], { replaces: false });
    utimesSync(path.join(parent, 'new/new.json'), second, second + 0.0005);
    vi.spyOn(Date, 'now').mockReturnValue(second * 1000);
    stage.write('manifest.json', [new Uint8Array()], { replaces: true });
    const timeOf = (name: string): number => statSync(path.join(parent, 'new', name)).mtimeMs;
    expect(timeOf('manifest.json')).toBeGreaterThanOrEqual(timeOf('new.json'));
  });
});
