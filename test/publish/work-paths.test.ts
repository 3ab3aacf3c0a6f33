import path from 'node:path';
import { expect, it } from 'vitest';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { isWindowsName } from '../support/windows.ts';

it('places work files with valid Windows names next to the published folder', () => {
  const { name, out, staged, replacedFile, ...besideOutput } =
    resolveWorkPaths('My Projects ü/build');
  for (const file of Object.values(besideOutput)) {
    expect(path.dirname(file)).toBe(path.dirname(out));
    expect(path.basename(file)).toSatisfy(isWindowsName);
  }
});
