/** Requests an endpoint, and renders its response. */

import { parseRecordPath } from '../../contract/paths.ts';
import { requestText, type TimedResponse } from '../exchange/request-text.ts';
import { loadSearchEngine } from '../search/load-search.ts';
import { createResult } from '../search/options.ts';
import {
  createButton,
  createLink,
  element,
  folderPage,
  getMessage,
  linkStyle,
  siteRoot,
} from '../shared/dom.ts';
import { fetchPath, getPath, splitPath } from './address.ts';
import { createListView, isListPage } from './list-view.ts';
import {
  describeError,
  describeUnreadable,
  type PageProblem,
  suggestWays,
  unbuiltPage,
} from './problem.ts';
import { readTextField } from './record.ts';
import { createRecordView } from './record-view.ts';
import { createResponseBox } from './response-box.ts';
import type { View } from './view.ts';

/**
 * Loads an address, and creates the view for the response.
 *
 * @param retry loads the same address again
 */
export async function loadView(
  address: string,
  signal: AbortSignal,
  retry: () => void,
): Promise<View> {
  const path = fetchPath(address, linkStyle);
  // A plain file server has only some pages of a list.
  if (path === undefined) return createProblemView(unbuiltPage, createWays(address));
  const tryAgain = element('p', {}, createButton('Try again', retry));
  let timedResponse: TimedResponse;
  try {
    timedResponse = await requestText(siteRoot + path, signal);
  } catch (error) {
    const reason = 'The request failed without a response. Are you offline?';
    const detail = element('p', { class: 'quiet' }, `Browser: ${getMessage(error)}`);
    return createProblemView({ title: 'No response', reason }, tryAgain, detail);
  }
  const { response } = timedResponse;
  const json = parseJson(timedResponse.text);
  if (json === undefined) {
    const problem = describeUnreadable(
      response,
      response.headers.get('Content-Type'),
    );
    return createProblemView(problem, createWays(address), tryAgain);
  }
  if (!response.ok) return createErrorView(response, json, address);
  if (isListPage(json)) return createListView(address, json);
  const record = parseRecordPath(getPath(address));
  if (!record) return createRootView(response, json);
  return createRecordView(record, { ...timedResponse, json }, address);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const createProblemView = (
  { title, reason }: PageProblem,
  ...content: readonly HTMLElement[]
): View => ({
  title,
  content: [element('p', { class: 'lead' }, reason), ...content],
});

/**
 * Creates the view for an error response. The problem and the links to other pages appear
 * immediately. If the record does not exist, similar records and then the response follow
 * later, because the suggestions require the search index.
 */
function createErrorView(response: Response, json: unknown, address: string): View {
  const problem = describeError(response, readTextField(json, 'detail'), address);
  const view = createProblemView(problem, createWays(address));
  const box = createResponseBox(response, json);
  if (response.status !== 404) return { ...view, content: [...view.content, box] };
  const later = suggestRecords(address).then((suggestions) => [...suggestions, box]);
  return { ...view, later };
}

/** Suggests records whose slugs are similar to the unknown slug in an address. */
async function suggestRecords(address: string): Promise<HTMLElement[]> {
  const [kind = '', slug] = splitPath(address);
  if (slug === undefined) return [];
  try {
    const engine = await loadSearchEngine();
    const records = engine.suggest(decodeURIComponent(slug), kind);
    if (records.length === 0) return [];
    const items = records.map((record) => element('li', {}, createResult(record)));
    return [
      element('h2', {}, 'Did you mean'),
      element('ul', { class: 'results', role: 'list' }, ...items),
    ];
  } catch {
    // The view is complete even without suggestions.
    return [];
  }
}

/** Creates links to existing pages where the user can continue. */
function createWays(address: string): HTMLElement {
  const links = suggestWays(address).map((way) => createLink(way.address, way.text));
  links.push(element('a', { href: siteRoot + folderPage }, 'Search'));
  const items = links.map((link) => element('li', {}, link));
  return element('ul', { class: 'ways', role: 'list' }, ...items);
}

function createRootView(response: Response, json: unknown): View {
  return {
    title: 'Kinds of records',
    content: [createResponseBox(response, json)],
  };
}
