/** Checks of renamed records: what the site says has moved has to lead there. */

import { MOVED_FILE, recordPath } from '../../contract/addresses.ts';
import { kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { askAll, type Check } from '../examination.ts';

/** A site that says nothing of it has none. An address of today's records that is among them is found by its status. */
export const checkMoved: Check = async (examination, fail) => {
  const { probe, lists } = examination;
  const said = await probe.ask({ path: `/${MOVED_FILE}` });
  if (said.status !== 200 || typeof said.json !== 'object' || said.json === null) return;
  const records = new Set(
    kindNames.flatMap((kind) => lists[kind].records.map(({ slug }) => recordPath(kind, slug))),
  );
  const questions = Object.entries(said.json).flatMap(([path, to]) => {
    if (typeof to === 'string' && records.has(to))
      return [{ path: `${path}?format=api`, location: `${to}?format=api` }];
    fail(said, `got ${show(path)}: ${show(to)}, expected the address of a record`);
    return [];
  });
  await askAll(examination, questions, (reply, { location }) => {
    const got = reply.header('location') ?? '';
    const { pathname, search } = new URL(got, 'http://host.invalid');
    if (reply.status !== 301) fail(reply, `got status ${reply.status}, expected 301 to ${location}`);
    else if (pathname + search !== location) fail(reply, `got Location ${got}, expected ${location}`);
  });
};
