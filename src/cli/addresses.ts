import { API_PREFIX } from '../contract/paths.ts';

/** A URL as errors may show it: what precedes an @ may be a password. */
export const maskUrl = (url: string): string => url.replace(/[^/]*@/, '…@');

/** Returns a hint if a URL is inside of a site, as far as its path tells. */
export function hintAtBase(target: string): string[] {
  const [base, inside] = `${target}/`.split(API_PREFIX);
  if (inside === undefined || !base) return [];
  return [`hint: expected the base URL of a site, such as ${maskUrl(base)}`];
}
