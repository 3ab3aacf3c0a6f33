/** Checks of content: every record, and the icons. */

import { kindNames, mapKinds } from '../../contract/kinds.ts';
import { metaReader } from '../../contract/meta.ts';
import { show } from '../../contract/parse.ts';
import { META_FILE, NAMES_INDEX_FILE, namesFile, PLACEHOLDER_ICON, recordUrl } from '../../contract/paths.ts';
import type { ProbeResponse } from '../../http/probe.ts';
import { type Check, checkEach } from '../context.ts';
import { checkNames } from '../names.ts';

/** Every record, by the path of its own `url`. */
const checkRecords = checkEach(
  ({ linkBase, lists }) =>
    kindNames.flatMap((kind) =>
      lists[kind].records.map((record) => ({
        path: recordUrl(linkBase, kind, record.slug).slice(linkBase.baseUrl.length),
        served: JSON.stringify(record),
      })),
    ),
  ({ status, json }, { served }) => {
    if (status !== 200) return `got status ${status}, expected 200`;
    return JSON.stringify(json) === served
      ? undefined
      : `got ${show(json)}, expected ${served}, as in its list`;
  },
);

/**
 * Every site has the placeholder, and a site that says so has every other icon; otherwise those may be redirected, if the
 * host can.
 */
const checkIcons: Check = async (context, fail) => {
  const { probe, lists, linkBase } = context;
  const placeholder = await probe.send({ path: `/${PLACEHOLDER_ICON}` });
  if (!isImage(placeholder)) {
    const type = placeholder.header('content-type');
    fail(placeholder, `got status ${placeholder.status}, ${type}, expected an image`);
  }
  const icons = kindNames
    .flatMap((kind) => lists[kind].records)
    .flatMap((record) => ('icon' in record ? [`/${record.icon}`] : []));
  const meta = await probe.send({ path: `/${META_FILE}` });
  const { sprites } = metaReader.pick({ sprites: true }).safeParse(meta.json).data ?? {};
  if (sprites !== undefined && sprites.mode !== 'link') {
    const checkAll = checkEach(
      () => [...new Set(icons)].map((path) => ({ path })),
      (response) => (isImage(response) ? undefined : `got status ${response.status}, expected an image`),
    );
    return checkAll(context, fail);
  }
  const [path] = icons;
  if (path === undefined || linkBase.links === 'file') return;
  const response = await probe.send({ path });
  const redirected = response.status === 302 && /^https?:/.test(response.header('location') ?? '');
  if (!redirected && !isImage(response))
    fail(response, `got status ${response.status}, expected an image or a redirect to one`);
};

const checkAllNames: Check = async ({ probe, lists, linkBase }, fail) => {
  const meta = await probe.send({ path: `/${META_FILE}` });
  const { names } = metaReader.pick({ names: true }).safeParse(meta.json).data ?? {};
  if (!names) return;
  const files = [NAMES_INDEX_FILE, ...Object.keys(names.languages).map(namesFile)];
  const requests = files.map((file) => ({ path: `/${file}`, file }));
  const responses = new Map(await probe.sendAll(requests, (response, { file }) => [file, response] as const));
  const records = mapKinds((kind) => lists[kind].records);
  const textOf = (file: string): string | undefined => responses.get(file)?.text;
  const report = (file: string, problem: string): void => fail(responses.get(file) ?? meta, problem);
  checkNames(records, { names, base_url: linkBase.baseUrl }, { textOf, report });
};

const isImage = (response: ProbeResponse): boolean =>
  response.status === 200 && response.header('content-type')?.startsWith('image/') === true;

export const contentChecks = { records: checkRecords, icons: checkIcons, names: checkAllNames };
