/** Checks of content: every record, the icons, and the names in every language. */

import { kindNames, mapKinds } from '../../contract/kinds.ts';
import { metaReader } from '../../contract/meta.ts';
import { show } from '../../contract/parse.ts';
import { META_FILE, NAMES_INDEX_FILE, namesFile, PLACEHOLDER_ICON, recordUrl } from '../../contract/paths.ts';
import type { ProbeResponse } from '../../http/probe.ts';
import { checkNames, iconsOf } from '../folder.ts';
import { type Check, checkEach, toRequests } from './check.ts';

const isImage = ({ status, header }: ProbeResponse): boolean =>
  status === 200 && header('content-type')?.startsWith('image/') === true;

/** A site that says so has every icon; otherwise they may be redirected, if the host can. */
const checkIcons: Check = async (context, fail) => {
  const { probe, lists, linkBase } = context;
  const meta = await probe.send({ path: `/${META_FILE}` });
  const { sprites } = metaReader.pick({ sprites: true }).safeParse(meta.json).data ?? {};
  const isLinked = sprites === undefined || sprites.mode === 'link';
  if (isLinked && linkBase.links === 'file') return;
  const icons = iconsOf(mapKinds((kind) => lists[kind].records)).map((icon) => `/${icon}`);
  const check = checkEach(
    () => toRequests(isLinked ? icons.slice(0, 1) : icons),
    (response) => {
      const redirected = response.status === 302 && /^https?:/.test(response.header('location') ?? '');
      if (isImage(response) || (isLinked && redirected)) return undefined;
      return `got status ${response.status}, expected an image${isLinked ? ' or a redirect to one' : ''}`;
    },
  );
  await check(context, fail);
};

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

export const contentChecks = {
  /** Every record, by the path of its own `url`. */
  records: checkEach(
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
  ),
  icons: [
    checkEach(
      () => toRequests([`/${PLACEHOLDER_ICON}`]),
      (response) =>
        !isImage(response) &&
        `got status ${response.status}, ${response.header('content-type')}, expected an image`,
    ),
    checkIcons,
  ],
  names: checkAllNames,
};
