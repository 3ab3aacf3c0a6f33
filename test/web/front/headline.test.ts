import { expect, it } from 'vitest';
import { HEADLINE, renderLettering } from '../../../src/web/front/headline.ts';

it('draws the headline with its last word in the color of links', () => {
  expect(HEADLINE).toBe('Every Pokémon move and item has a URL.');
  const { text } = renderLettering();
  expect(text).toContain('viewBox="0 0 74 31"');
  // The letter E of the first line, and the letter U of the last one.
  expect(text).toContain('<path d="M0 0h5v1h-5z');
  expect(text).toContain('<path class="hot" d="M30 24h1v1h-1z');
});
