import { findApiLink } from '../exchange/exchange-box.ts';
import { element, setContent } from '../shared/dom.ts';
import { highlightCode } from '../shared/html.ts';
import { formatStatus } from './problem.ts';

const SHOWN_HEADERS = [
  'Allow',
  'Content-Type',
  'Vary',
  'Cache-Control',
  'ETag',
  'Last-Modified',
];

/** Lists the response headers that are of interest to users. */
export function listHeaders(response: Response): string[] {
  const lines: string[] = [];
  for (const name of SHOWN_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) lines.push(`${name}: ${value}`);
  }
  return lines;
}

/** Creates the box with the response's headers and its JSON, whose URLs are links. */
export function createResponseBox(response: Response, json: unknown): HTMLElement {
  const lines = [formatStatus(response), ...listHeaders(response)];
  const body = element('pre', { class: 'json' });
  setContent(body, highlightCode(JSON.stringify(json, null, 2), findApiLink));
  return element(
    'section',
    { class: 'response', 'aria-label': 'Response' },
    element('pre', { class: 'head' }, lines.join('\n')),
    body,
  );
}
