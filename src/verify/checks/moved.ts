/** Checks of renamed records: what `moved.json` lists has to redirect. */

import { kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { MOVED_FILE, recordPath } from '../../contract/paths.ts';
import { type Check, checkEach, redirectProblem } from '../context.ts';

/** A site without `moved.json` has no renamed records. A redirect of a present record is found by its status. */
const checkMoved: Check = async (context, fail) => {
  const { probe, lists } = context;
  const listed = await probe.send({ path: `/${MOVED_FILE}` });
  if (listed.status !== 200 || typeof listed.json !== 'object' || listed.json === null) return;
  const records = new Set(
    kindNames.flatMap((kind) => lists[kind].records.map(({ slug }) => recordPath(kind, slug))),
  );
  const requests = Object.entries(listed.json).flatMap(([path, to]) => {
    if (typeof to === 'string' && records.has(to))
      return [{ path: `${path}?format=api`, location: `${to}?format=api` }];
    fail(listed, `got ${show(path)}: ${show(to)}, expected the path of a record`);
    return [];
  });
  const checkRedirects = checkEach(
    () => requests,
    (response, { location }) => redirectProblem(context, response, location),
  );
  await checkRedirects(context, fail);
};

export const movedChecks = { moved: checkMoved };
