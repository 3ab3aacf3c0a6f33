import { linkStyle, siteRoot } from '../shared/dom.ts';
import { fetchPath, replaceFormat } from './address.ts';

/** Returns the URL at which browsers show the JSON of an endpoint instead of a page. */
export function getJsonUrl(address: string): string {
  if (linkStyle === 'file') return `${siteRoot}${fetchPath(address, linkStyle)}`;
  return siteRoot + replaceFormat(address).slice(1);
}
