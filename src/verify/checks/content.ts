/** Checks of what is served: every record, and the pictures. */

import { PLACEHOLDER_ICON, recordUrl } from '../../contract/addresses.ts';
import { kindNames } from '../../contract/kinds.ts';
import { META_FILE, metaSchema } from '../../contract/meta.ts';
import { show } from '../../contract/parse.ts';
import { askAll, type Check } from '../examination.ts';

/** Every record, by the path of its own `url`. */
export const checkRecords: Check = async (examination, fail) => {
  const { linkBase, lists } = examination;
  const questions = kindNames.flatMap((kind) =>
    lists[kind].records.map(({ slug, served }) => ({
      path: recordUrl(linkBase, kind, slug).slice(linkBase.baseUrl.length),
      served,
    })),
  );
  await askAll(examination, questions, (reply, { served }) => {
    if (reply.status !== 200) fail(reply, `got status ${reply.status}, expected 200`);
    else if (JSON.stringify(reply.json) !== served)
      fail(reply, `got ${show(reply.json)}, expected ${served}, as the list has it`);
  });
};

/**
 * The placeholder is a file of every site, and so is every picture of a site that says so; else other pictures may be
 * somewhere else, if the host can redirect.
 */
export const checkIcons: Check = async ({ probe, lists, linkBase }, fail) => {
  const placeholder = await probe.ask({ path: `/${PLACEHOLDER_ICON}` });
  if (placeholder.status !== 200 || !isPicture(placeholder.header('content-type'))) {
    fail(
      placeholder,
      `got status ${placeholder.status}, ${placeholder.header('content-type')}, expected a picture`,
    );
  }
  const icons = [
    ...new Set(lists.item.records.map(({ json }) => (JSON.parse(json) as { icon: string }).icon)),
  ];
  if (holdsPictures((await probe.ask({ path: `/${META_FILE}` })).json)) {
    await askAll(
      { probe },
      icons.map((icon) => ({ path: `/${icon}` })),
      (reply) => {
        if (reply.status !== 200 || !isPicture(reply.header('content-type')))
          fail(reply, `got status ${reply.status}, expected a picture, as ${META_FILE} says`);
      },
    );
    return;
  }
  const [icon] = icons;
  if (icon === undefined || linkBase.links === 'file') return;
  const reply = await probe.ask({ path: `/${icon}` });
  const redirected = reply.status === 302 && /^https?:/.test(reply.header('location') ?? '');
  if (!redirected && !(reply.status === 200 && isPicture(reply.header('content-type')))) {
    fail(reply, `got status ${reply.status}, expected a picture or a redirect to one`);
  }
};

/** Whether a site says that it has every picture itself. */
function holdsPictures(meta: unknown): boolean {
  const { sprites } = metaSchema.pick({ sprites: true }).loose().safeParse(meta).data ?? {};
  return sprites !== undefined && sprites.mode !== 'link';
}

const isPicture = (type: string | undefined): boolean => type?.startsWith('image/') === true;
