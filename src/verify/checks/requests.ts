/** Checks of what depends on the whole request: its method, its headers, a slash that is missing. */

import { API_PREFIX, listPath, recordPath } from '../../contract/addresses.ts';
import { apiHeaders } from '../../contract/headers.ts';
import { askAll, type Check, type Examination, isJsonType, refusalProblem } from '../examination.ts';
import type { Question, Reply } from '../probe.ts';

/** A list and a record. */
function endpoints({ lists }: Examination): string[] {
  const [move] = lists.move.records;
  return [listPath('move'), listPath('item'), ...(move ? [recordPath('move', move.slug)] : [])];
}

export const checkSlash: Check = async (examination, fail) => {
  const paths = [API_PREFIX, ...endpoints(examination), recordPath('move', 'no-such-slug')];
  const questions = paths.flatMap((path) =>
    ['', '?format=api&limit=100&offset=100', '?x=%20%C3%A9'].map((query) => ({
      path: `${path.slice(0, -1)}${query}`,
      location: `${path}${query}`,
    })),
  );
  await askAll(examination, questions, (reply, { location }) => {
    if (reply.status !== 301) return fail(reply, `got status ${reply.status}, expected 301`);
    const got = reply.header('location') ?? '';
    const { pathname, search } = new URL(got, 'http://host.invalid');
    if (pathname + search !== location) fail(reply, `got Location ${got}, expected ${location}`);
    if (reply.header('access-control-allow-origin') !== '*')
      fail(reply, 'got no Access-Control-Allow-Origin: *');
  });
};

export const checkOptions: Check = async (examination, fail) => {
  const preflight = {
    origin: 'https://app.invalid',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-test',
  };
  const questions = endpoints(examination).flatMap((path): Question[] => [
    { method: 'OPTIONS', path },
    { method: 'OPTIONS', path, headers: preflight },
  ]);
  await askAll(examination, questions, (reply, { headers }) => {
    if (reply.status !== 200 && reply.status !== 204)
      return fail(reply, `got status ${reply.status}, expected 200 or 204`);
    const allow = reply.header('allow');
    if (allow?.replaceAll(' ', '') !== apiHeaders.Allow.replaceAll(' ', ''))
      fail(reply, `got Allow ${allow}, expected ${apiHeaders.Allow}`);
    const problem = headers && preflightProblem(reply);
    if (problem !== undefined) fail(reply, problem);
  });
};

/** What would make a browser refuse the request that the preflight asks about. */
function preflightProblem(reply: Reply): string | undefined {
  const header = (name: string): string => reply.header(`access-control-allow-${name}`) ?? '';
  if (header('origin') !== '*') return `got Access-Control-Allow-Origin ${header('origin')}, expected *`;
  if (!header('methods').includes('GET'))
    return `got Access-Control-Allow-Methods ${header('methods')}, expected GET among them`;
  if (!/\*|x-test/i.test(header('headers')))
    return `got Access-Control-Allow-Headers ${header('headers')}, expected * or x-test`;
  return undefined;
}

export const checkMethod: Check = async (examination, fail) => {
  const questions = endpoints(examination).flatMap((path) =>
    ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method, path })),
  );
  await askAll(examination, questions, (reply) => {
    const problem = refusalProblem(reply, [405]);
    if (problem !== undefined) return fail(reply, problem);
    const { detail } = reply.json as { detail: string };
    if (!/^Method .*not allowed\.$/.test(detail))
      fail(reply, `got detail ${detail}, expected Method … not allowed.`);
    if (!reply.header('allow')?.includes('GET'))
      fail(reply, `got Allow ${reply.header('allow')}, expected ${apiHeaders.Allow}`);
  });
};

/** What browsers send: https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export const checkBrowser: Check = async (examination, fail) => {
  const questions = endpoints(examination).flatMap((path) =>
    ['', '?format=api', '?format=json'].flatMap((query) => [
      { path: `${path}${query}`, headers: { accept: BROWSER }, page: query !== '?format=json' },
      ...[{ accept: '*/*' }, { accept: 'application/json' }, {}].map((headers) => ({
        path: `${path}${query}`,
        headers,
        page: false,
      })),
    ]),
  );
  await askAll(examination, questions, (reply, { page }) => {
    const type = reply.header('content-type');
    if (reply.status !== 200) fail(reply, `got status ${reply.status}, expected 200`);
    else if (page && !type?.startsWith('text/html')) fail(reply, `got ${type}, expected the page`);
    else if (!page && !isJsonType(reply)) fail(reply, `got ${type}, expected application/json`);
  });
};

export const checkNotAcceptable: Check = async (examination, fail) => {
  const questions = endpoints(examination).map((path) => ({ path, headers: { accept: 'image/png' } }));
  await askAll(examination, questions, (reply) => {
    const problem = refusalProblem(reply, [406]);
    if (problem !== undefined) fail(reply, problem);
  });
};
