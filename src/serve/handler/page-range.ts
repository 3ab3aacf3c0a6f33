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

/**
 * Loads any page range of a list. A built page is served as it is. Any other range consists of new
 * links and the records of the built pages that overlap it: the records of a whole page are the
 * same bytes in every response, so that many clients that read a long list slowly take little
 * memory.
 *
 * @param isJson whether links keep the `format=json` of the request, as in the reference framework
 * @returns undefined if the site has no such list
 */
export async function loadPageRange(
  store: AssetStore,
  kind: Kind,
  range: PageRange,
  isJson: boolean,
): Promise<Representation | undefined> {
  const builtPage = isJson ? undefined : await findBuiltPage(store, kind, range);
  if (builtPage) return builtPage;

  const root = await readRoot(store);
  const firstPage = await store.get(paths.listPageFile(kind, 0));
  if (!firstPage || !root) return undefined;
  const { count } = parsePage(firstPage.body);
  const from = Math.min(Number(range.offset), count);
  const to = Math.min(from + Number(range.limit), count);

  const records: Bytes[] = [];
  const etags: string[] = [];
  for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
    const page = await store.get(paths.listPageFile(kind, start));
    if (!page) return undefined;
    if (records.length > 0) records.push(COMMA);
    records.push(sliceRecords(page.body, from - start, to - start));
    etags.push(page.etag);
  }

  const baseUrl = root[kind].slice(0, root[kind].lastIndexOf(paths.API_PREFIX));
  const emptyPage = paths.createListPage(
    { baseUrl, links: 'query' },
    kind,
    { range, count, results: [] },
    isJson ? 'json' : 'api',
  );
  const head = JSON.stringify(emptyPage).slice(0, -END.length);
  const etag = await createEtag(encode(JSON.stringify([head, from, to, etags])));
  return { body: [encode(head), ...records, END], etag };
}

const COMMA = encode(',');
const END = encode(']}');

/** Returns the built page that has exactly the records of a range. */
async function findBuiltPage(
  store: AssetStore,
  kind: Kind,
  { limit, offset }: PageRange,
): Promise<Asset | undefined> {
  if (limit !== PAGE_SIZE || typeof offset !== 'number') return undefined;
  if (offset % PAGE_SIZE !== 0) return undefined;
  return store.get(paths.listPageFile(kind, offset));
}

interface PageRecords {
  /** The number of records in the list. */
  readonly count: number;
  /** The JSON of each record on the page. */
  readonly texts: readonly string[];
  /** All of them, separated by commas. */
  readonly all: Bytes;
}

const parsePage = cacheByBody((body): PageRecords => {
  const { count, results }: paths.ListPage = JSON.parse(decode(body));
  const texts = results.map((record) => JSON.stringify(record));
  return { count, texts, all: encode(texts.join(',')) };
});

/**
 * Returns the records at these places of a built page. The range may begin before the page and end
 * after it.
 */
function sliceRecords(page: Bytes, from: number, to: number): Bytes {
  const { texts, all } = parsePage(page);
  if (from <= 0 && to >= texts.length) return all;
  return encode(texts.slice(Math.max(from, 0), to).join(','));
}
