/**
 * JSON that is kept, in one piece.
 *
 * V8 returns the pieces that it made the text of, and joins them when it is first looked into: here, as pieces that have got
 * old take as much memory as the text until all of it is collected. There is nothing to trim.
 */
export const jsonText = (value: object): string => JSON.stringify(value).trim();
