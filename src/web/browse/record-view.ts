import type { RecordPath } from '../../contract/paths.ts';
import { findFirstGeneration } from '../../data/find-generation.ts';
import { findName } from '../../data/find-name.ts';
import { createExchangeBox } from '../exchange/exchange-box.ts';
import type { TimedResponse } from '../exchange/request-text.ts';
import { createPicture } from '../glyph/create-picture.ts';
import type { GlyphSubject } from '../glyph/render-glyph.ts';
import { findLanguageField, getLangAttributes } from '../search/language-field.ts';
import { loadNames, loadSearchEngine } from '../search/load-search.ts';
import type { Match } from '../search/search-engine.ts';
import { element, getRecordLinkAttributes } from '../shared/dom.ts';
import { createValue } from './create-value.ts';
import { getJsonUrl } from './json-url.ts';
import { type Fields, readTextField, selectCardFields, toFields } from './record.ts';
import { listHeaders } from './response-box.ts';
import type { View } from './view.ts';

/** A response whose body is JSON. */
export interface JsonResponse extends TimedResponse {
  readonly json: unknown;
}

/**
 * Creates the view of a record. It consists of the facts about the record, and of the
 * exchange: the request for the record and its response.
 *
 * @param address the path and query of the record's endpoint
 */
export function createRecordView(
  record: RecordPath,
  loaded: JsonResponse,
  address: string,
): View {
  const fields = toFields(loaded.json);
  const title = readTextField(loaded.json, 'name') ?? record.slug;
  const subject = { ...record, generation: findFirstGeneration(fields) };
  const facts = createFactsColumn(subject, fields);
  const exchange = createExchange(subject, title, loaded, address);
  const content = [element('div', { class: 'record' }, facts, exchange)];
  return { title, content, hasExchange: true };
}

/** Creates the column with everything that the page says about a record. */
function createFactsColumn(subject: GlyphSubject, fields: Fields): HTMLElement {
  return element(
    'div',
    { class: 'facts' },
    createPicture(subject, readTextField(fields, 'icon')),
    ...createFacts(fields),
    ...createIndexNumbers(fields),
    ...createNames(subject),
    createNeighbors(subject),
  );
}

/** Matches the query and the fragment of a URL. */
const QUERY_AND_FRAGMENT = /[?#].*/;

/** Creates the box that shows the request for a record and its response. */
function createExchange(
  subject: GlyphSubject,
  name: string,
  { response, bytes, milliseconds, json }: JsonResponse,
  address: string,
): HTMLElement {
  const box = element('section', {
    class: 'exchange',
    'aria-label': 'Request and response',
  });
  createExchangeBox(box).show({
    subject,
    name,
    // The query only chooses the format. Programs do not need it, because they get JSON
    // without a query.
    url: response.url.replace(QUERY_AND_FRAGMENT, ''),
    status: response.status,
    bytes,
    milliseconds,
    json,
    headers: listHeaders(response).join('\n'),
    jsonUrl: getJsonUrl(address),
  });
  return box;
}

/** Lists a record's values, except for the index numbers. */
function createFacts(record: Fields): HTMLElement[] {
  const { facts } = selectCardFields(record);
  const list = element('dl', { translate: 'no' });
  for (const name of facts) {
    const value = createValue('dd', record[name]);
    list.append(element('div', {}, element('dt', {}, name), value));
  }
  return [list];
}

/** Lists an item's index numbers with their generations. */
function createIndexNumbers(record: Fields): HTMLElement[] {
  const { indices } = selectCardFields(record);
  if (indices.length === 0) return [];
  const list = element('dl', { class: 'indices', translate: 'no' });
  for (const name of indices) {
    const generation = name.replace('id', '');
    const term = element(
      'dt',
      {},
      element('span', { class: 'spoken' }, 'Generation '),
      generation,
    );
    list.append(element('div', {}, term, createValue('dd', record[name])));
  }
  return [
    element('h2', {}, 'Index numbers'),
    element(
      'p',
      { class: 'quiet' },
      "The item's number in the games of each generation.",
    ),
    list,
  ];
}

/**
 * Creates the links to the previous and the next record. They need the search index,
 * so they appear later, in reserved space.
 */
function createNeighbors({ kind, slug }: RecordPath): HTMLElement {
  const links = element('nav', { class: 'neighbors', 'aria-label': 'Neighbors' });
  loadSearchEngine().then(
    ({ records }) => {
      const list = records.filter((record) => record.kind === kind);
      const position = list.findIndex((record) => record.slug === slug);
      if (position < 0) return;
      links.append(
        ...createNeighbor('Previous', list[position - 1]),
        ...createNeighbor('Next', list[position + 1]),
      );
    },
    // The page is complete even without these links.
    () => {},
  );
  return links;
}

function createNeighbor(label: string, record: Match | undefined): HTMLElement[] {
  if (!record) return [];
  const picture = createPicture(record);
  const text = element(
    'span',
    {},
    element('small', {}, label),
    element('b', {}, record.name),
  );
  const attributes = {
    ...getRecordLinkAttributes(record.kind, record.slug),
    class: label.toLowerCase(),
  };
  return [element('a', attributes, picture, text)];
}

/** Creates a box that loads the record's names when the user opens it. */
function createNames(record: RecordPath): HTMLElement[] {
  const languages = findLanguageField()?.options ?? [];
  if (languages.length === 0) return [];
  const list = element('div', { role: 'status' });
  const box = element(
    'details',
    {},
    element('summary', {}, 'Names in every language'),
    list,
  );

  const showNames = async (): Promise<void> => {
    const isLoaded = list.querySelector('table') !== null;
    if (!box.open || isLoaded) return;
    try {
      const loadingRows = Array.from(languages, (option) =>
        createNameRow(record, option),
      );
      const rows = await Promise.all(loadingRows);
      list.replaceChildren(
        element('table', {}, element('tbody', {}, ...rows.flat())),
      );
    } catch {
      list.replaceChildren(
        'The names could not be loaded. Close and open this to try again.',
      );
    }
  };
  box.addEventListener('toggle', () => void showNames());
  return [box];
}

/**
 * Creates the row with a record's name in one language. Returns no row if the record has
 * no name in this language.
 */
async function createNameRow(
  { kind, slug }: RecordPath,
  { value, text }: HTMLOptionElement,
): Promise<HTMLElement[]> {
  // The option for English has no value, because it is the default.
  const language = value === '' ? 'en' : value;
  const name = findName(await loadNames(language), kind, slug);
  if (name === undefined) return [];
  const attributes = getLangAttributes(language);
  const head = element('th', { scope: 'row', ...attributes }, text);
  return [element('tr', {}, head, element('td', attributes, name))];
}
