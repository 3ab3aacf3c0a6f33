import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(
  new URL('../../../src/web/shared/style.css', import.meta.url),
  'utf8',
);

/** Reads the color variables of a color scheme. */
function readColors(start: number): Map<string, string> {
  const block = css.slice(start, css.indexOf('}', start));
  const colors = new Map<string, string>();
  for (const [, name = '', value = ''] of block.matchAll(/--(\w+): (#\w{6});/g)) {
    colors.set(name, value);
  }
  return colors;
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function computeContrast(a = '', b = ''): number {
  const [darker = 0, lighter = 0] = [a, b]
    .map(computeLuminance)
    .sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

const schemes = {
  light: readColors(css.indexOf(':root {')),
  dark: readColors(
    css.indexOf(':root {', css.indexOf('prefers-color-scheme: dark')),
  ),
};
const backgrounds = ['paper', 'sheet'];
const texts = ['ink', 'soft', 'string', 'number'];
const glyphs = Array.from({ length: 10 }, (_, generation) => `g${generation}`);

describe.each(['light', 'dark'] as const)('the colors in %s mode', (scheme) => {
  const colors = schemes[scheme];

  it.each(texts)('text in the color %s has a contrast of at least 4.5:1', (text) => {
    for (const background of backgrounds) {
      const contrast = computeContrast(colors.get(text), colors.get(background));
      expect(contrast, background).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each([...glyphs, 'hot'])(
    'glyphs in the color %s have a contrast of at least 3:1',
    (color) => {
      for (const background of [...backgrounds, 'grid']) {
        const contrast = computeContrast(colors.get(color), colors.get(background));
        expect(contrast, background).toBeGreaterThanOrEqual(3);
      }
    },
  );
});
