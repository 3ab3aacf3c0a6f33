import type { BuiltSite } from '../built/site.ts';
import { readVerified } from '../built/verified-files.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import {
  type FileBody,
  getLinkBase,
  type Meta,
  metaReader,
} from '../contract/meta.ts';
import { type Names, type NamesSummary, namesReader } from '../contract/names.ts';
import { formatValue, parseJson, parseOptional } from '../contract/parse.ts';
import * as paths from '../contract/paths.ts';
import { defaultIconSource } from '../contract/responses.ts';
import { type ServedRecords, summarizeNames } from '../dataset/data-set.ts';
import { selectNames } from '../dataset/names.ts';
import type { AddressedRecords } from '../dataset/old-slugs.ts';
import { createResponder, type PlainResponse } from '../serve/handler/index.ts';
import { createApiFiles, createNamesFiles } from '../site/record-files.ts';
import { crawl } from '../sources/crawl.ts';
import type { Probe, ProbeRequest, ProbeResponse } from '../upstream/probe.ts';

/**
 * The site that a deployment is expected to serve, and the responses that it is
 * expected to send.
 */
export interface ExpectedSite {
  readonly linkBase: paths.LinkBase;
  readonly records: Readonly<Record<Kind, readonly ExpectedRecord[]>>;
  /** The languages for which the site has names. */
  readonly languages: readonly string[];
  /** The old paths of renamed records, which must redirect. */
  readonly moved: readonly string[];
  /**
   * Whether the site stores icons, redirects to the icons of its source, or has no
   * icons.
   */
  readonly icons: Meta['sprites']['mode'];
  respond(request: ProbeRequest): Promise<ExpectedResponse>;
}

interface ExpectedRecord {
  readonly slug: string;
  readonly icon?: unknown;
}

export type ExpectedResponse = Pick<PlainResponse, 'status' | 'headers'> & {
  readonly text: string;
};

/** Expects the deployment at an address to serve exactly the given built site. */
export function expectSite(site: BuiltSite, address: string): ExpectedSite {
  const { storage, entries, meta } = site;

  function read(file: string): Buffer | undefined {
    // The manifest has no entry for itself.
    if (file === paths.MANIFEST_FILE) return storage.read(file);
    if (!entries.has(file)) return undefined;
    return readVerified(storage, entries, file);
  }

  const movedText = read(paths.MOVED_FILE)?.toString() ?? '';
  // A site without redirects, or with a damaged file, has no moved paths to check.
  const moved = parseJson(movedText) ?? {};
  return {
    linkBase: getLinkBase(meta),
    records: site.records(),
    languages: Object.keys(meta.names?.languages ?? {}),
    moved: Object.keys(moved),
    icons: meta.sprites.mode,
    respond: createRespond(read, address),
  };
}

/** Reports that a response violates a guarantee. */
export type Fail = (
  guarantee: GuaranteeName,
  response: { readonly request: string },
  problem: string,
) => void;

/**
 * Derives the expected site from a deployment's own lists, names and redirects, and
 * reports invalid ones. First reads `meta.json`, because it contains the link style
 * and the languages. Then reads all lists and names, generates a site's files from
 * that data, and lets the request handler respond with these files.
 *
 * @param builtFor the base URL that links start with, if it differs from the
 * deployment's address
 */
export async function expectCrawled(
  probe: Probe,
  builtFor: string | undefined,
  fail: Fail,
): Promise<ExpectedSite> {
  const response = await fetchFile(probe, paths.META_FILE);
  const { links, sprites, names: namesSummary } = readDescription(response.json);
  const linkBase: paths.LinkBase = { baseUrl: builtFor ?? probe.address, links };
  const records = await crawlRecords(probe, linkBase, fail);

  const languages = Object.keys(namesSummary?.languages ?? {});
  const names = await fetchNames(probe, languages, records);
  if (JSON.stringify(summarizeNames(names)) !== JSON.stringify(namesSummary)) {
    fail('names', response, "does not match the site's names");
  }
  const moved = await fetchMoved(probe, records, fail);

  const files = new Map<string, FileBody>();
  // The request handler reads the target of icon redirects from `meta.json`.
  const meta = { base_url: linkBase.baseUrl, links, sprites };
  const recordFiles = createApiFiles(records, meta);
  const namesFiles = createNamesFiles(names, linkBase.baseUrl);
  for (const { path, body } of [...recordFiles, ...namesFiles]) {
    files.set(path, body);
  }
  files.set(paths.MOVED_FILE, JSON.stringify(moved));

  function read(file: string): FileBody | undefined {
    const body = files.get(file);
    if (body !== undefined) return body;
    const isApi = `/${file}`.startsWith(paths.API_PREFIX);
    const isIcon =
      file.startsWith(paths.ICONS_FOLDER) && file !== paths.PLACEHOLDER_ICON;
    const isRedirectedIcon = isIcon && sprites.mode === 'link';
    if (isApi || isRedirectedIcon) return undefined;
    // Of all other files, we compare only the headers, so we do not need their
    // content.
    return '';
  }

  return {
    linkBase,
    records,
    languages,
    moved: Object.keys(moved),
    icons: sprites.mode,
    respond: createRespond(read, probe.address),
  };
}

const fetchFile = (probe: Probe, file: string): Promise<ProbeResponse> =>
  probe.send({ path: `/${file}`, maxBytes: getMaxBytes(file) });

const descriptionReader = metaReader.pick({
  links: true,
  sprites: true,
  names: true,
});

interface Description extends Pick<Meta, 'links' | 'sprites'> {
  readonly names: NamesSummary | undefined;
}

/**
 * Reads the fields of `meta.json` that the contract depends on. If the file is
 * missing or invalid, assumes a site with the default options and without names.
 */
function readDescription(json: unknown): Description {
  const description = parseOptional(descriptionReader, json);
  return {
    links: description?.links ?? 'query',
    sprites: description?.sprites ?? defaultIconSource,
    names: description?.names,
  };
}

async function crawlRecords(
  probe: Probe,
  linkBase: paths.LinkBase,
  fail: Fail,
): Promise<ServedRecords> {
  const crawled = await crawl(probe, linkBase, (response, problem) => {
    fail('lists', response, problem);
  });
  return mapKinds((kind) =>
    crawled[kind].map((record) => {
      const url = paths.recordUrl(linkBase, kind, record.slug);
      return { ...record, url };
    }),
  );
}

/** Fetches the names of the given records in each language. Skips invalid files. */
async function fetchNames(
  probe: Probe,
  languages: readonly string[],
  records: AddressedRecords,
): Promise<Names[]> {
  const allNames: Names[] = [];
  for (const language of languages) {
    const { json } = await fetchFile(probe, paths.namesFile(language));
    const names = parseOptional(namesReader, json);
    if (names) allNames.push(selectNames(names, records));
  }
  return allNames;
}

/**
 * Fetches the redirects of renamed records. Reports every redirect that does not
 * lead from an old path to the path of a current record.
 */
async function fetchMoved(
  probe: Probe,
  records: ExpectedSite['records'],
  fail: Fail,
): Promise<Record<string, string>> {
  const currentPaths = new Set<string>();
  for (const kind of kindNames) {
    for (const { slug } of records[kind]) {
      currentPaths.add(paths.recordPath(kind, slug));
    }
  }
  const moved: Record<string, string> = {};
  const response = await fetchFile(probe, paths.MOVED_FILE);
  if (response.status !== 200) return moved;
  for (const [from, to] of Object.entries<string>(Object(response.json))) {
    const isOldPath =
      paths.parseRecordPath(from) !== undefined && !currentPaths.has(from);
    if (isOldPath && currentPaths.has(to)) {
      moved[from] = to;
      continue;
    }
    const got = `got ${formatValue(from)}: ${formatValue(to)}`;
    fail('moved', response, `${got}, expected an old path and the path of a record`);
  }
  return moved;
}

/**
 * Returns a function that responds to requests like the request handler would for a
 * site with these files at the given address.
 */
function createRespond(
  read: (file: string) => FileBody | undefined,
  address: string,
): ExpectedSite['respond'] {
  const base = paths.getBasePath(address);

  async function get(file: string) {
    const body = read(file);
    if (body === undefined) return undefined;
    // Any value is fine here, because no comparator uses this ETag.
    return { body: new Uint8Array(Buffer.from(body)), etag: '"expected"' };
  }
  const respond = createResponder({ get }, base);

  return async (request) => {
    const { method = 'GET', path, headers = {} } = request;
    const [pathname = ''] = path.split('?', 1);
    const search = path.slice(pathname.length);
    const sentHeaders = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      sentHeaders.append(name, value ?? '');
    }
    const { body, ...response } = await respond({
      method,
      path: base + pathname,
      search,
      headers: sentHeaders,
    });
    return { ...response, text: `${Buffer.concat(body ?? [])}` };
  };
}
