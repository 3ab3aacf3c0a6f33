import { describe, expect, it } from 'vitest';
import { isRemote, namesIcons } from '../../src/pipeline/make-site.ts';

describe('namesIcons', () => {
  const unnamed = { mode: undefined, upstream: undefined };

  it('returns false if the user set no option for icons', () => {
    expect(namesIcons({ sprites: unnamed })).toBe(false);
  });

  it.each([{ mode: 'mirror' }, { upstream: 'https://icons.test' }] as const)(
    'returns true if the user set %j',
    (option) => {
      expect(namesIcons({ sprites: { ...unnamed, ...option } })).toBe(true);
    },
  );
});

describe('isRemote', () => {
  it.each([
    ['rest', undefined, true],
    ['csv', undefined, true],
    ['csv', './tables', false],
    ['snapshot', undefined, false],
    ['site', 'https://site.test', true],
    ['site', 'site.tar.gz', false],
  ] as const)(
    'recognizes whether the source %s with upstream %j is remote: %s',
    (source, upstream, expected) => {
      expect(isRemote({ source, upstream }, {})).toBe(expected);
    },
  );

  it('returns false if the build fell back to local data', () => {
    const settings = { source: 'auto', upstream: undefined } as const;
    expect(
      isRemote(settings, { fallback: 'the upstream could not be reached' }),
    ).toBe(false);
  });
});
