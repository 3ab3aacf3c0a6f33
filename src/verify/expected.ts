import type { BuiltSite } from '../built/site.ts';
import { readVerified } from '../built/verified-files.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import { type FileBody, getLinkBase, type Meta, metaReader } from '../contract/meta.ts';
import { type Names, namesReader } from '../contract/names.ts';
import { formatValue, parseJson } from '../contract/parse.ts';
import * as paths from '../contract/paths.ts';
import { defaultIconSource } from '../contract/responses.ts';
import { summarizeNames } from '../dataset/data-set.ts';
import { selectNames } from '../dataset/names.ts';
import type { Probe, ProbeRequest, ProbeResponse } from '../http/probe.ts';
import { createResponder, type PlainResponse } from '../serve/handler/index.ts';
import { createApiFiles, createNamesFiles } from '../site/record-files.ts';
import { crawl } from '../sources/crawl.ts';

export interface ExpectedSite {
  readonly linkBase: paths.LinkBase;
  readonly records: Readonly<
    Record<Kind, readonly { readonly slug: string; readonly icon?: unknown }[]>
  >;
  readonly languages: readonly string[];
  readonly moved: readonly string[];
  readonly icons: Meta['sprites']['mode'];
  respond(request: ProbeRequest): Promise<ExpectedResponse>;
}

export type ExpectedResponse = Pick<PlainResponse, 'status' | 'headers'> & {
  readonly text: string;
};

export function expectSite(
  { storage, entries, meta, records }: BuiltSite,
  address: string,
): ExpectedSite {
  const read = (file: string): Buffer | undefined => {
    if (file === paths.MANIFEST_FILE) return storage.read(file);
    return entries.has(file) ? readVerified(storage, entries, file) : undefined;
  };
  return {
    linkBase: getLinkBase(meta),
    records: records(),
    languages: Object.keys(meta.names?.languages ?? {}),
    moved: Object.keys(parseJson(`${read(paths.MOVED_FILE)}`) ?? {}),
    icons: meta.sprites.mode,
    respond: createRespond(read, address),
  };
}

export type Fail = (
  guarantee: GuaranteeName,
  response: { request: string },
  problem: string,
) => void;

/**
 * Derives the expected site from a deployment's own lists, names and redirects, and reports invalid ones.
 *
 * @param builtFor the base URL of links, if it differs from the deployment's address
 */
export async function expectCrawled(
  probe: Probe,
  builtFor: string | undefined,
  fail: Fail,
): Promise<ExpectedSite> {
  const described = await fetchFile(probe, paths.META_FILE);
  const known = metaReader
    .pick({ links: true, sprites: true, names: true })
    .safeParse(described.json).data;
  const { links = 'query', sprites = defaultIconSource, names: summary } = known ?? {};
  const linkBase = { baseUrl: builtFor ?? probe.address, links };
  const meta = { base_url: linkBase.baseUrl, links, sprites };
  const crawled = await crawl(probe, linkBase, (response, problem) =>
    fail('lists', response, problem),
  );
  const records = mapKinds((kind) =>
    crawled[kind].map((record) => ({
      ...record,
      url: paths.recordUrl(linkBase, kind, record.slug),
    })),
  );

  const languages = Object.keys(summary?.languages ?? {});
  const names: Names[] = [];
  for (const language of languages) {
    const { data } = namesReader.safeParse(
      (await fetchFile(probe, paths.namesFile(language))).json,
    );
    if (data) names.push(selectNames(data, records));
  }
  if (JSON.stringify(summarizeNames(names)) !== JSON.stringify(summary))
    fail('names', described, "does not match the site's names");

  const moved = await readMoved(probe, records, fail);
  const recordFiles = [...createApiFiles(records, meta), ...createNamesFiles(names, meta.base_url)];
  const files = new Map(recordFiles.map(({ path, body }) => [path, body]));
  files.set(paths.MOVED_FILE, JSON.stringify(moved));
  const read = (file: string): FileBody | undefined => {
    const isApi = `/${file}`.startsWith(paths.API_PREFIX);
    const isIcon = file.startsWith(paths.ICONS_FOLDER) && file !== paths.PLACEHOLDER_ICON;
    // For other files, only headers are compared, so the content does not matter.
    return files.get(file) ?? (isApi || (isIcon && sprites.mode === 'link') ? undefined : '');
  };
  const respond = createRespond(read, probe.address);
  return { linkBase, records, languages, moved: Object.keys(moved), icons: sprites.mode, respond };
}

const fetchFile = (probe: Probe, file: string): Promise<ProbeResponse> =>
  probe.send({ path: `/${file}`, maxBytes: getMaxBytes(file) });

async function readMoved(
  probe: Probe,
  records: ExpectedSite['records'],
  fail: Fail,
): Promise<object> {
  const response = await fetchFile(probe, paths.MOVED_FILE);
  const current = new Set(
    kindNames.flatMap((kind) => records[kind].map(({ slug }) => paths.recordPath(kind, slug))),
  );
  const listed = response.status === 200 ? Object.entries<string>(Object(response.json)) : [];
  const moved: Record<string, string> = {};
  for (const [path, to] of listed) {
    const isOld = paths.parseRecordPath(path) !== undefined && !current.has(path);
    const got = `got ${formatValue(path)}: ${formatValue(to)}`;
    if (isOld && current.has(to)) moved[path] = to;
    else fail('moved', response, `${got}, expected an old path and the path of a record`);
  }
  return moved;
}

function createRespond(
  read: (file: string) => FileBody | undefined,
  address: string,
): ExpectedSite['respond'] {
  const base = paths.getBasePath(address);
  const get = async (file: string) => {
    const body = read(file);
    return body === undefined
      ? undefined
      : { body: new Uint8Array(Buffer.from(body)), etag: '"expected"' };
  };
  const respond = createResponder({ get }, base);
  return async ({ method = 'GET', path, headers = {} }) => {
    const [pathname = ''] = path.split('?', 1);
    const sent = new Headers(Object.entries(headers).map(([name, value = '']) => [name, value]));
    const request = {
      method,
      path: base + pathname,
      search: path.slice(pathname.length),
      headers: sent,
    };
    const { body, ...response } = await respond(request);
    return { ...response, text: `${Buffer.concat(body ?? [])}` };
  };
}
