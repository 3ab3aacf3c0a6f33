import type { Kind } from '../../contract/kinds.ts';

/** The number of rows and columns of a glyph. */
export const GLYPH_SIZE = 8;

/**
 * A picture of 8 × 8 pixels as eight lines of text. A `#` is ink, a `+` is a lighter
 * shade of the same color, and a dot is empty.
 */
export type Glyph = readonly string[];

type Pixel = '#' | '+' | '.';

/**
 * Draws the picture of a record. It depends only on the kind and the slug, and must
 * never change, because users recognize records by it.
 *
 * An item is a thing, so its glyph is symmetrical. A move is a motion, so its glyph
 * consists of strokes and looks the same upside down.
 */
export function drawGlyph(kind: Kind, slug: string): Glyph {
  const random = createRandom(`${kind}/${slug}`);
  const pixels = drawings[kind](random);
  return pixels.map((row) => row.join(''));
}

/** Returns a number from 0 to 1, excluding 1. */
type Random = () => number;

const drawings: Readonly<Record<Kind, (random: Random) => Pixel[][]>> = {
  move: drawMotion,
  item: drawThing,
};

/**
 * Creates a sequence of pseudorandom numbers that is always the same for the same text.
 * We do not use `crypto.subtle`, because it is not available to pages on plain HTTP.
 *
 * @see http://www.isthe.com/chongo/tech/comp/fnv/
 */
function createRandom(text: string): Random {
  // The first state is the FNV-1a hash of the text.
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    state = Math.imul(state ^ byte, 0x01000193);
  }
  // Each number is one step of the generator Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const createPixels = (): Pixel[][] =>
  Array.from({ length: GLYPH_SIZE }, () => new Array<Pixel>(GLYPH_SIZE).fill('.'));

/** Draws the left half of a thing, and its mirror image on the right. */
function drawThing(random: Random): Pixel[][] {
  const pixels = createPixels();
  const half = GLYPH_SIZE / 2;
  for (let y = 0; y < GLYPH_SIZE; y++) {
    for (let x = 0; x < half; x++) {
      if (random() >= rateThingPixel(x, y)) continue;
      setPixel(pixels, x, y, '#');
      setPixel(pixels, GLYPH_SIZE - 1 - x, y, '#');
    }
  }
  shadeHoles(pixels);
  return pixels;
}

/**
 * Returns the probability that a pixel of a thing is ink. It is higher in a ring around
 * the center, so that most things have an outline.
 */
function rateThingPixel(x: number, y: number): number {
  const center = (GLYPH_SIZE - 1) / 2;
  const distance = Math.hypot(x - center, y - center);
  if (distance > 4.2) return 0.12;
  if (distance > 3.2) return 0.4;
  if (distance > 1.8) return 0.72;
  return 0.3;
}

/** Draws strokes that start near the center, and the same strokes upside down. */
function drawMotion(random: Random): Pixel[][] {
  const pixels = createPixels();
  for (let stroke = 0; stroke < STROKES; stroke++) drawStroke(pixels, random);
  shadeHoles(pixels);
  return pixels;
}

const STROKES = 3;
const STROKE_LENGTH = 7;

/** The eight directions, clockwise. */
const directions = [
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
] as const;

/** Draws one stroke, which turns by an eighth of a circle now and then. */
function drawStroke(pixels: Pixel[][], random: Random): void {
  // The stroke starts in the middle 4 × 4 pixels.
  let x = Math.floor(random() * 4) + 2;
  let y = Math.floor(random() * 4) + 2;
  let direction = Math.floor(random() * directions.length);
  // Seven steps clockwise are one step counterclockwise.
  const turn = random() < 0.5 ? 1 : directions.length - 1;
  for (let step = 0; step < STROKE_LENGTH; step++) {
    if (!isInside(x) || !isInside(y)) return;
    setPixel(pixels, x, y, '#');
    // The same pixel, turned by half a circle around the center.
    setPixel(pixels, GLYPH_SIZE - 1 - x, GLYPH_SIZE - 1 - y, '#');
    const [stepX, stepY] = directions[direction] ?? [0, 0];
    x += stepX;
    y += stepY;
    if (random() < 0.4) direction = (direction + turn) % directions.length;
  }
}

const isInside = (position: number): boolean =>
  position >= 0 && position < GLYPH_SIZE;

/** Shades each empty pixel that has ink on at least three of its four sides. */
function shadeHoles(pixels: Pixel[][]): void {
  for (let y = 0; y < GLYPH_SIZE; y++) {
    for (let x = 0; x < GLYPH_SIZE; x++) {
      if (readPixel(pixels, x, y) !== '.') continue;
      if (countInkAround(pixels, x, y) >= 3) setPixel(pixels, x, y, '+');
    }
  }
}

function countInkAround(pixels: Pixel[][], x: number, y: number): number {
  const neighbors = [
    readPixel(pixels, x - 1, y),
    readPixel(pixels, x + 1, y),
    readPixel(pixels, x, y - 1),
    readPixel(pixels, x, y + 1),
  ];
  return neighbors.filter((pixel) => pixel === '#').length;
}

const readPixel = (pixels: Pixel[][], x: number, y: number): Pixel | undefined =>
  pixels[y]?.[x];

function setPixel(pixels: Pixel[][], x: number, y: number, pixel: Pixel): void {
  const row = pixels[y];
  if (row) row[x] = pixel;
}
