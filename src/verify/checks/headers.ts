/** Checks of headers, on samples of every kind of answer. */

import { listPath, listUrl, PLACEHOLDER_ICON, recordUrl } from '../../contract/addresses.ts';
import { apiHeaders, pageHeaders } from '../../contract/headers.ts';
import { kindNames } from '../../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../../contract/windows.ts';
import { askAll, type Check, type Examination, isJsonType } from '../examination.ts';
import type { Question, Reply } from '../probe.ts';

/** First and last page, first and last record of each kind. */
function samples({ linkBase, lists }: Examination): Question[] {
  const urls = kindNames.flatMap((kind) => {
    const { count, records } = lists[kind];
    const offset = pageOffsets(count).at(-1) ?? 0;
    const ends = [records[0], records.at(-1)].flatMap((record) =>
      record ? [recordUrl(linkBase, kind, record.slug)] : [],
    );
    return [listUrl(linkBase, kind), listUrl(linkBase, kind, { limit: PAGE_SIZE, offset }), ...ends];
  });
  return [...new Set(urls)].map((url) => ({ path: url.slice(linkBase.baseUrl.length) }));
}

const refused: Question = { path: '/api/gamedata/move/no-such-slug/' };
const picture: Question = { path: `/${PLACEHOLDER_ICON}` };

/** A check that looks for one header on samples and on what else is named. */
function headerCheck(others: readonly Question[], problemOf: (reply: Reply) => string | undefined): Check {
  return (examination, fail) =>
    askAll(examination, [...samples(examination), ...others], (reply) => {
      const problem = problemOf(reply);
      if (problem !== undefined) fail(reply, problem);
    });
}

const expectHeader = (
  reply: Reply,
  name: string,
  isRight: (value: string) => boolean,
  expected: string,
): string | undefined =>
  isRight(reply.header(name) ?? '') ? undefined : `got ${name} ${reply.header(name)}, expected ${expected}`;

/** The members of a list header, in lower case. */
const members = (value: string): string[] => value.split(',').map((member) => member.trim().toLowerCase());

export const checkMediaType = headerCheck([], (reply) =>
  isJsonType(reply)
    ? undefined
    : `got Content-Type ${reply.header('content-type')}, expected application/json`,
);

export const checkCors = headerCheck([refused, picture], (reply) =>
  expectHeader(reply, 'Access-Control-Allow-Origin', (value) => value === '*', '*'),
);

export const checkNosniff = headerCheck([refused, picture], (reply) =>
  expectHeader(reply, 'X-Content-Type-Options', (value) => value === 'nosniff', 'nosniff'),
);

/** Where a site may have a page, and what a browser is shown of an endpoint. What is no page there needs no policy. */
const pages: readonly Question[] = [
  ...['/', '/index.html', '/browse.html', '/browse/', '/reference.html'],
  ...kindNames.map((kind) => listPath(kind)),
].map((path) => ({ path, headers: { Accept: 'text/html' } }));

/** A deployment may forbid more than asked for, never less. */
export const checkPagePolicy: Check = (examination, fail) =>
  askAll(examination, pages, (reply) => {
    if (!reply.header('content-type')?.startsWith('text/html')) return;
    const got = directives(reply.header('content-security-policy') ?? '');
    for (const directive of directives(pageHeaders['Content-Security-Policy'])) {
      if (!got.includes(directive)) fail(reply, `got no policy of ${directive}`);
    }
    const sniffing = expectHeader(reply, 'X-Content-Type-Options', (value) => value === 'nosniff', 'nosniff');
    if (sniffing !== undefined) fail(reply, sniffing);
  });

const directives = (policy: string): string[] => policy.split(';').map((directive) => directive.trim());

export const checkCaching = headerCheck([], (reply) => {
  const expected = apiHeaders['Cache-Control'];
  return expectHeader(
    reply,
    'Cache-Control',
    (value) => members(value).join() === members(expected).join(),
    expected,
  );
});

export const checkVary = headerCheck([refused], (reply) =>
  expectHeader(reply, 'Vary', (value) => members(value).includes('accept'), 'Accept among them'),
);

export const checkAllow = headerCheck([refused], (reply) => {
  const allows = (value: string): boolean =>
    members(apiHeaders.Allow).every((method) => members(value).includes(method));
  return expectHeader(reply, 'Allow', allows, apiHeaders.Allow);
});

/** Each answer has a validator of its own, and is not sent again to who has it. */
export const checkEtag: Check = async (examination, fail) => {
  const seen = new Map<string, string>();
  await askAll(examination, samples(examination), (reply) => {
    const etag = reply.header('etag');
    if (etag === undefined) return fail(reply, 'got no ETag');
    const other = seen.get(etag);
    if (other !== undefined && other !== reply.text)
      fail(reply, `got ETag ${etag}, which another answer has too`);
    seen.set(etag, reply.text);
  });
  const validated = samples(examination).map(async (question) => {
    const etag = (await examination.probe.ask(question)).header('etag') ?? '';
    const known = await examination.probe.ask({ ...question, headers: { 'If-None-Match': etag } });
    if (known.status !== 304 || known.text !== '')
      fail(known, `got status ${known.status}, expected 304 without a body`);
    const unknown = await examination.probe.ask({
      ...question,
      headers: { 'If-None-Match': '"something-else"' },
    });
    if (unknown.status !== 200) fail(unknown, `got status ${unknown.status}, expected 200`);
  });
  await Promise.all(validated);
};

export const checkHead: Check = async (examination, fail) => {
  await Promise.all(
    samples(examination).map(async (question) => {
      const get = await examination.probe.ask(question);
      const head = await examination.probe.ask({ ...question, method: 'HEAD' });
      if (head.status !== get.status) fail(head, `got status ${head.status}, expected ${get.status}`);
      if (head.text !== '') fail(head, `got a body of ${head.text.length} characters, expected none`);
      for (const name of ['content-type', 'etag']) {
        if (head.header(name) !== get.header(name))
          fail(head, `got ${name} ${head.header(name)}, expected ${get.header(name)}`);
      }
    }),
  );
};
