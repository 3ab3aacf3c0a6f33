/** Checks of redirects: of a missing trailing slash, and of renamed records. */

import { kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { API_PREFIX, MOVED_FILE, pathOf, recordPath } from '../../contract/paths.ts';
import type { ProbeResponse } from '../../http/probe.ts';
import { type Check, checkEach, corsProblem, endpoints, type VerifyContext } from '../context.ts';

/** What is wrong with a redirect to a path of the site. Hosts may send an absolute `Location`. */
function redirectProblem(
  response: ProbeResponse,
  { target }: { target: string },
  { probe }: VerifyContext,
): string | undefined {
  const location = pathOf(probe.address) + target;
  if (response.status !== 301) return `got status ${response.status}, expected 301 to ${location}`;
  const got = response.header('location') ?? '';
  const { pathname, search } = new URL(got, 'http://host.invalid');
  return pathname + search === location ? undefined : `got Location ${got}, expected ${location}`;
}

const checkSlash = checkEach(
  (context) =>
    [API_PREFIX, ...endpoints(context), recordPath('move', 'no-such-slug')].flatMap((path) =>
      ['', '?format=api&limit=100&offset=100', '?x=%20%C3%A9'].map((query) => ({
        path: `${path.slice(0, -1)}${query}`,
        target: `${path}${query}`,
      })),
    ),
  (response, request, context) => redirectProblem(response, request, context) ?? corsProblem(response),
);

/**
 * What `moved.json` lists has to redirect; a site without it has no renamed records. A redirect of a present record is found
 * by its status.
 */
const checkMoved: Check = async (context, fail) => {
  const { probe, lists } = context;
  const listed = await probe.send({ path: `/${MOVED_FILE}` });
  if (listed.status !== 200 || typeof listed.json !== 'object' || listed.json === null) return;
  const records = new Set(
    kindNames.flatMap((kind) => lists[kind].records.map(({ slug }) => recordPath(kind, slug))),
  );
  const requests = Object.entries(listed.json).flatMap(([path, to]) => {
    if (records.has(to)) return [{ path: `${path}?format=api`, target: `${to}?format=api` }];
    fail(listed, `got ${show(path)}: ${show(to)}, expected the path of a record`);
    return [];
  });
  await checkEach(() => requests, redirectProblem)(context, fail);
};

export const redirectsChecks = { slash: checkSlash, moved: checkMoved };
