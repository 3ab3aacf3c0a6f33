import type { Kind } from '../../contract/kinds.ts';
import { PAGE_SIZE, type PageRange } from '../../contract/page-range.ts';
import * as paths from '../../contract/paths.ts';
import {
  type Asset,
  type AssetStore,
  type Bytes,
  cacheByBody,
  createEtag,
  decode,
  encode,
  type Representation,
  readRoot,
} from './asset-store.ts';

/** A range of positions in a list. The first position is 0. */
interface Places {
  readonly from: number;
  /** The position after the last record. */
  readonly to: number;
}

/**
 * Loads any page range of a list. If a built page has exactly this range, it is
 * served unchanged. Otherwise, a new page is assembled.
 *
 * @param format the format in the page's links, which keep `format=json` from the
 * request, as in the reference framework
 * @returns undefined if the site has no such list
 */
export async function loadPageRange(
  store: AssetStore,
  kind: Kind,
  range: PageRange,
  format: 'api' | 'json',
): Promise<Representation | undefined> {
  // Built pages fit only this format, because their links contain `format=api`.
  if (format === 'api') {
    const builtPage = await findBuiltPage(store, kind, range);
    if (builtPage) return builtPage;
  }
  return assemblePage(store, kind, range, format);
}

/**
 * Assembles a page from the built pages that overlap its range.
 *
 * A range may be as long as the list, and many clients may read it slowly at the
 * same time. Therefore the body is not one string but a list of byte arrays: the
 * start of the page with the new links, the records of each built page, and the end.
 * Responses share the arrays of whole built pages, so each response needs little
 * additional memory.
 */
async function assemblePage(
  store: AssetStore,
  kind: Kind,
  range: PageRange,
  format: 'api' | 'json',
): Promise<Representation | undefined> {
  const root = await readRoot(store);
  const firstPage = await store.get(paths.listPageFile(kind, 0));
  if (!firstPage || !root) return undefined;
  const { count } = parsePage(firstPage.body);
  const places = findPlaces(range, count);
  const records = await collectRecords(store, kind, places);
  if (!records) return undefined;

  // The handler knows the base URL only from the links in the API's root.
  const listUrl = root[kind];
  const baseUrl = listUrl.slice(0, listUrl.lastIndexOf(paths.API_PREFIX));
  const start = createPageStart(baseUrl, kind, { range, count }, format);
  // These values determine the page's content. Hashing them is faster than hashing the
  // content.
  const identity = JSON.stringify([start, places.from, places.to, records.etags]);
  const etag = await createEtag(encode(identity));
  return { body: [encode(start), ...records.parts, END], etag };
}

/** Limits a page range to the records that exist. */
function findPlaces({ limit, offset }: PageRange, count: number): Places {
  const from = Math.min(offset, count);
  const to = Math.min(from + limit, count);
  return { from, to };
}

const COMMA = encode(',');
/** The closing brackets of the list of results and of the page. */
const END = encode(']}');

/**
 * Returns the built page that has exactly the given range, or undefined if there is
 * none.
 */
async function findBuiltPage(
  store: AssetStore,
  kind: Kind,
  { limit, offset }: PageRange,
): Promise<Asset | undefined> {
  if (limit !== PAGE_SIZE || offset % PAGE_SIZE !== 0) return undefined;
  return store.get(paths.listPageFile(kind, offset));
}

interface CollectedRecords {
  /** The JSON of the records, separated by commas. */
  readonly parts: readonly Bytes[];
  /** The ETags of the built pages that contain the records. */
  readonly etags: readonly string[];
}

/**
 * Collects the records at the given positions of the whole list from the built pages that
 * contain them. Returns undefined if a page is missing.
 */
async function collectRecords(
  store: AssetStore,
  kind: Kind,
  { from, to }: Places,
): Promise<CollectedRecords | undefined> {
  const parts: Bytes[] = [];
  const etags: string[] = [];
  // Each built page starts at a multiple of the page size.
  const firstOffset = from - (from % PAGE_SIZE);
  for (let offset = firstOffset; offset < to; offset += PAGE_SIZE) {
    const page = await store.get(paths.listPageFile(kind, offset));
    if (!page) return undefined;
    if (parts.length > 0) parts.push(COMMA);
    // On every page after the first, the range begins before the page.
    const placesOnPage = {
      from: Math.max(0, from - offset),
      to: Math.min(PAGE_SIZE, to - offset),
    };
    parts.push(sliceRecords(page.body, placesOnPage));
    etags.push(page.etag);
  }
  return { parts, etags };
}

/**
 * Creates the JSON of a page up to its first record:
 * `{"count":…,"next":…,"previous":…,"results":[`
 */
function createPageStart(
  baseUrl: string,
  kind: Kind,
  { range, count }: { readonly range: PageRange; readonly count: number },
  format: 'api' | 'json',
): string {
  const base: paths.LinkBase = { baseUrl, links: 'query' };
  const emptyPage = paths.createListPage(
    base,
    kind,
    { range, count, results: [] },
    format,
  );
  // Cut off the closing brackets, because the records come before them.
  return JSON.stringify(emptyPage).slice(0, -END.length);
}

interface PageRecords {
  /** The number of records in the whole list. */
  readonly count: number;
  /** The JSON of each record on the page. */
  readonly texts: readonly string[];
  /** The JSON of all records on the page, separated by commas. */
  readonly allTexts: Bytes;
}

/** Parses a built page. Each page is parsed only once while it stays in memory. */
const parsePage = cacheByBody((body): PageRecords => {
  const { count, results }: paths.ListPage = JSON.parse(decode(body));
  const texts = results.map((record) => JSON.stringify(record));
  const allTexts = encode(texts.join(','));
  return { count, texts, allTexts };
});

/**
 * Returns the JSON of the records at the given positions of a built page. The positions
 * are relative to the start of the page.
 */
function sliceRecords(page: Bytes, { from, to }: Places): Bytes {
  const { texts, allTexts } = parsePage(page);
  const isWholePage = from === 0 && to >= texts.length;
  if (isWholePage) return allTexts;
  const selectedTexts = texts.slice(from, to);
  return encode(selectedTexts.join(','));
}
