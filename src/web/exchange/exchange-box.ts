import { recordPath } from '../../contract/paths.ts';
import { fetchPath, parseLink } from '../browse/address.ts';
import type { GlyphSubject } from '../glyph/render-glyph.ts';
import {
  copyText,
  getHref,
  linkStyle,
  setContent,
  siteRoot,
} from '../shared/dom.ts';
import { watchIcons } from '../shared/icon-loader.ts';
import { type Exchange, renderExchange } from './render-exchange.ts';
import { requestText } from './request-text.ts';
import { connectTabs, findSelectedPanel } from './tabs.ts';

/** An element of the page that shows a request and its response. */
export interface ExchangeBox {
  readonly show: (exchange: Exchange) => void;
}

/**
 * Sets up the buttons in an element, which may already contain an example from the
 * build. The returned object can replace the content with another request and its
 * response.
 */
export function createExchangeBox(box: HTMLElement): ExchangeBox {
  connectControls(box);
  return {
    show(exchange) {
      const selectedTab = findSelectedPanel(box)?.id;
      const focusedId = box.querySelector(':focus')?.id ?? '';
      setContent(box, renderExchange(exchange, findApiLink, selectedTab));
      connectControls(box);
      // The focused button was replaced with a new one that has the same id.
      document.getElementById(focusedId)?.focus();
    },
  };
}

function connectControls(box: HTMLElement): void {
  watchIcons(box);
  const tabs = box.querySelector<HTMLElement>('[role="tablist"]');
  // A site without records has no example.
  if (!tabs) return;
  connectTabs(tabs);
  box.querySelector('.copy')?.addEventListener('click', () => {
    const sample = findSelectedPanel(box);
    if (sample) void copyText(sample);
  });
}

/**
 * Returns the link for a string in the JSON if the string is the URL of an endpoint.
 */
export function findApiLink(token: string): string | undefined {
  const address = parseLink(JSON.parse(token));
  return address === undefined ? undefined : getHref(address);
}

/** The record to request, as the search index describes it. */
export interface RequestedRecord extends GlyphSubject {
  readonly name: string;
}

/**
 * Requests a record, and measures the time until the response is complete.
 *
 * @throws if there is no response, or if the response is not JSON
 */
export async function requestRecord(
  record: RequestedRecord,
  signal: AbortSignal,
): Promise<Exchange> {
  const { kind, slug, name } = record;
  const url = siteRoot + fetchPath(recordPath(kind, slug), linkStyle);
  const { response, text, bytes, milliseconds } = await requestText(url, signal);
  return {
    subject: record,
    name,
    url,
    status: response.status,
    bytes,
    milliseconds,
    json: JSON.parse(text),
  };
}
