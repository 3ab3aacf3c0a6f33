/** Checks of content: every record, the icons, and the names in every language. */

import { kindNames, mapKinds } from '../../contract/kinds.ts';
import { metaReader } from '../../contract/meta.ts';
import { show } from '../../contract/parse.ts';
import { META_FILE, NAMES_INDEX_FILE, namesFile, PLACEHOLDER_ICON, recordUrl } from '../../contract/paths.ts';
import type { ProbeResponse } from '../../http/probe.ts';
import { checkNames } from '../folder.ts';
import { type Check, checkEach } from './check.ts';

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
    return JSON.stringify(json) !== served && `got ${show(json)}, expected ${served}, as in its list`;
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
  const isLinked = sprites === undefined || sprites.mode === 'link';
  if (isLinked && linkBase.links === 'file') return;
  const check = checkEach(
    () => [...new Set(isLinked ? icons.slice(0, 1) : icons)].map((path) => ({ path })),
    (response) => {
      const redirected = response.status === 302 && /^https?:/.test(response.header('location') ?? '');
      if (isImage(response) || (isLinked && redirected)) return undefined;
      return `got status ${response.status}, expected an image${isLinked ? ' or a redirect to one' : ''}`;
    },
  );
  await check(context, fail);
};

const isImage = ({ status, header }: ProbeResponse): boolean =>
  status === 200 && header('content-type')?.startsWith('image/') === true;

const checkAllNames: Check = async ({ probe, lists, linkBase }, fail) => {
  const meta = await probe.send({ path: `/${META_FILE}` });
  const { names } = metaReader.pick({ names: true }).safeParse(meta.json).data ?? {};
  if (!names) return;
  const files = [NAMES_INDEX_FILE, ...Object.keys(names.languages).map(namesFile)];
  const requests = files.map((file) => ({ path: `/${file}`, file }));
  const responses = new Map(await probe.sendAll(requests, (response, { file }) => [file, response] as const));
  const records = mapKinds((kind) => lists[kind].records);
  checkNames(
    records,
    { names, base_url: linkBase.baseUrl },
    {
      textOf: (file) => responses.get(file)?.text,
      report: (file, problem) => fail(responses.get(file) ?? meta, problem),
    },
  );
};

export const contentChecks = { records: checkRecords, icons: checkIcons, names: checkAllNames };
