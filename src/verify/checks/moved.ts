/** Checks of renamed records: what the site says has moved has to lead there. */

import { MOVED_FILE, recordPath } from '../../contract/addresses.ts';
import { kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { askAll, type Check } from '../examination.ts';

/** A site that says nothing of it has none. An address of today's records must not be among them. */
export const checkMoved: Check = async (examination, fail) => {
  const { probe, lists } = examination;
  const said = await probe.ask({ path: `/${MOVED_FILE}` });
  if (said.status !== 200 || typeof said.json !== 'object' || said.json === null) return;
  const records = new Set(
    kindNames.flatMap((kind) => lists[kind].records.map(({ slug }) => recordPath(kind, slug))),
  );
  const questions = Object.entries(said.json).flatMap(([path, to]) => {
    if (!records.has(path) && typeof to === 'string' && records.has(to))
      return [{ path: `${path}?format=api`, location: `${to}?format=api` }];
    fail(said, `got ${show(path)}: ${show(to)}, expected an old address and a record's`);
    return [];
  });
  await askAll(examination, questions, (reply, { location }) => {
    const got = reply.header('location') ?? '';
    const { pathname, search } = new URL(got, 'http://host.invalid');
    if (reply.status !== 301) fail(reply, `got status ${reply.status}, expected 301 to ${location}`);
    else if (pathname + search !== location) fail(reply, `got Location ${got}, expected ${location}`);
  });
};
