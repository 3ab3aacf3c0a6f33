/**
 * Explains a response without a record or a list, and links to pages that may help.
 */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import { API_PREFIX, listPath } from '../../contract/paths.ts';
import { errorDetails, formats } from '../../contract/responses.ts';
import { NOTHING_HERE, pluralize } from '../../contract/words.ts';
import { readPageRange, replacePageRange, splitPath } from './address.ts';

export interface PageProblem {
  readonly title: string;
  readonly reason: string;
}

interface ResponseStatus {
  readonly status: number;
  /** The reason phrase. Empty for HTTP/2 and later, which do not send one. */
  readonly statusText: string;
}

/** Formats the status, such as `HTTP 404 Not Found`. */
export const formatStatus = ({ status, statusText }: ResponseStatus): string =>
  `HTTP ${status} ${statusText}`.trimEnd();

const NOT_BUILT = 'This page does not exist on this host';

/**
 * The problem to show for a page that does not exist as a file on a plain file
 * server.
 */
export const unbuiltPage: PageProblem = {
  title: NOT_BUILT,
  reason: `This host serves only pages of ${PAGE_SIZE} records, at offsets that are multiples of ${PAGE_SIZE}.`,
};

/**
 * Describes a response that is not JSON.
 *
 * @param type the media type of the response, or null
 */
export function describeUnreadable(
  response: ResponseStatus,
  type: string | null,
): PageProblem {
  const title = response.status === 404 ? 'Not found' : 'Not an API response';
  const reason = `Got ${formatStatus(response)} with ${type ?? 'nothing'}, expected JSON.`;
  return { title, reason };
}

/**
 * Describes an error response of the API.
 *
 * @param detail the reason in the response; undefined if the response contains none
 */
export function describeError(
  response: ResponseStatus,
  detail: string | undefined,
  address: string,
): PageProblem {
  const title = titleError(response.status, address);
  if (detail === undefined) {
    return { title, reason: `The response was ${formatStatus(response)}.` };
  }
  // The API's 404 response has the same detail for an unknown record and an unknown
  // format, so we look for the reason in the address.
  const isPlainNotFound = detail === errorDetails[404];
  if (!isPlainNotFound) return { title, reason: detail };
  const format = readUnknownFormat(address);
  if (format === undefined) return { title, reason: NOTHING_HERE };
  const reason = `The format “${format}” does not exist. Use ${formats.join(' or ')}.`;
  return { title, reason };
}

/** Returns the format in an address if the API does not support it. */
function readUnknownFormat(address: string): string | undefined {
  const [, query] = address.split('?', 2);
  const format = new URLSearchParams(query).getAll('format').at(-1);
  if (!format) return undefined;
  const isKnown = formats.some((name) => name === format);
  return isKnown ? undefined : format;
}

function titleError(status: number, address: string): string {
  const hasPageRange = /[?&](?:limit|offset)=/.test(address);
  if (status === 400) return NOT_BUILT;
  if (status === 404) return hasPageRange ? NOT_BUILT : 'Not found';
  return 'Request rejected';
}

export interface Way {
  readonly address: string;
  readonly text: string;
}

/**
 * Lists existing endpoints where the user can continue after a failed request. The
 * endpoint that is most similar to the requested address comes first, and the list of
 * all kinds comes last. If the address names a kind, such as `move`, pages of its list
 * are suggested. Otherwise, the lists of all kinds are suggested.
 */
export function suggestWays(address: string): Way[] {
  const [kindSegment] = splitPath(address);
  const kind = kindNames.find((name) => name === kindSegment);
  const lists =
    kind === undefined ? suggestAllLists() : suggestListPages(kind, address);
  return [...lists, { address: API_PREFIX, text: 'All kinds' }];
}

function suggestAllLists(): Way[] {
  return kindNames.map((kind) => ({
    address: `${listPath(kind)}?format=api`,
    text: `All ${pluralize(kind)}`,
  }));
}

/**
 * Suggests the first page of a kind's list. If the requested page starts later, first
 * suggests the page that contains its first record and exists on every host. Plain file
 * servers have only pages of `PAGE_SIZE` records, at offsets that are multiples of it.
 */
function suggestListPages(kind: Kind, address: string): Way[] {
  const path = listPath(kind);
  const firstPage = {
    address: `${path}?format=api`,
    text: `The first page of ${pluralize(kind)}`,
  };
  const { offset } = readPageRange(address);
  if (offset === 0) return [firstPage];
  const pageOffset = offset - (offset % PAGE_SIZE);
  const existingPage = {
    address: replacePageRange(path, { limit: PAGE_SIZE, offset: pageOffset }),
    text: `The page of ${PAGE_SIZE} records at offset ${pageOffset}`,
  };
  return [existingPage, firstPage];
}
