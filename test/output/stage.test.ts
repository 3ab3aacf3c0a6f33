import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { createStage } from '../../src/output/stage.ts';
import { temporaryFolder } from '../support/temporary.ts';

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
});
