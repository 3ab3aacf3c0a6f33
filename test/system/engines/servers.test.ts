/**
 * The web servers on what each of them could get wrong in its own way: how queries are read, how paths are, the order of
 * decisions. The contract as such is checked on all engines in guarantees.test.ts.
 */

import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { apiHeaders, commonHeaders, errorHeaders, htmlHeaders } from '../../../src/contract/headers.ts';
import { errorBody, errorDetails, errorFiles, notAllowedDetail } from '../../../src/contract/routes.ts';
import { apache } from '../../support/engines/apache.ts';
import { caddy } from '../../support/engines/caddy.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { nginx } from '../../support/engines/nginx.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const UPSTREAM = 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/';

const move = '200 api/gamedata/move/index.json';
const move100 = '200 api/gamedata/move/offset/100/index.json';
const move200 = '200 api/gamedata/move/offset/200/index.json';
const pound = '200 api/gamedata/move/pound/index.json';
const page = '200 browse.html';

/** A query of the list of moves → what answers it: a status, and the file whose bytes are sent. */
const queries: [query: string, expected: string][] = [
  ['', move],
  ['?&', move],
  ['?&&offset=100&', move100],
  // Empty values count as none.
  ['?format=&limit=&offset=', move],
  ['?offset', move],
  // Past the last page, which has 46 of 746.
  ['?offset=800', '400'],
  [`?offset=1${'0'.repeat(2000)}`, '400'],
  // Between pages, and what only looks like a built page.
  ['?offset=0100', '400'],
  ['?offset=+100', '400'],
  ['?offset=100/../200', '400'],
  ['?offset=100%00', '400'],
  ['?offset=$1', '400'],
  ['?offset={query}', '400'],
  ['?offset=%{ENV:PATH}', '400'],
  ['?offset=1?0', '400'],
  ['?offset=[1]00', '400'],
  ['?limit=100:', '400'],
  ['?limit=100;offset=200', '400'],
  // The last of repeated ones counts.
  ['?offset=0&offset=100', move100],
  ['?offset=100&offset=0', move],
  ['?offset=100&offset=', move],
  ['?offset=100&offset=50', '400'],
  ['?limit=100&limit=20', '400'],
  ['?offset=100&utm=1&offset=200', move200],
  ['?format=api&format=xml', '404'],
  ['?format=xml&format=', move],
  // A name in other letters is another name; one that is encoded is the same.
  ['?OFFSET=200', move],
  ['?FORMAT=xml', move],
  ['?o%66fset=100', move100],
  ['?offset=100&o%66fset=200', move200],
  ['?for%6Dat=xml', '404'],
  // Other names are ignored, also those that have ours in them.
  ['?xoffset=100', move],
  ['?offset[]=100', move],
  ['?page=2&offset=100&utm_source=offset%3D200', move100],
  ['??offset=200', move],
  ['?=offset=200', move],
  ['?x;offset=200', move],
  ['?x=%', move],
  ['?caf%C3%A9=1&na%20me=2', move],
  // Formats.
  ['?format=:yes:', '404'],
  ['?format=json%00', '404'],
];

/** A path → what answers it. */
const paths: [path: string, expected: string][] = [
  ['/api/gamedata/', '200 api/gamedata/index.json'],
  // Slugs and what could be taken for one.
  ['/api/gamedata/move/pound/?offset=100&limit=3', pound],
  ['/api/gamedata/move/p%6Fund/', pound],
  ['/API/gamedata/move/', '404'],
  ['/api/gamedata/move/master-ball/', '404'],
  ['/api/gamedata/move/offset/100/', '404'],
  ['/api/gamedata/move/pound/%0A', '404'],
  ['/api/gamedata/move/%C3%A9/', '404'],
  ['/api/gamedata/move/*/', '404'],
  ['/api/gamedata/move/%7Bpath%7D/', '404'],
  ['/api/gamedata/move/%2e%2e%2f%2e%2e%2f404.json/', '404 | 404 -'],
  ['/api/gamedata/../../../../etc/passwd', '404 | 400 -'],
  // Files at their own addresses.
  ['/api/gamedata/move/index.json', move],
  ['/api/gamedata/move/index.json?offset=100&format=api', move],
  ['/api/gamedata/move/offset/100/index.json', move100],
  ['/api/gamedata/move/pound/index.json', pound],
  ['/api/gamedata/move/index.json/more', '404'],
  ['/', '200 index.html'],
  ['/sprites/items/unknown.png', '200 sprites/items/unknown.png'],
  // No listings, and nothing that is the host's own.
  ['/sprites/', '404'],
  ['/api', '404'],
  ['/_hosts/nginx.conf', '404'],
  ['/%5Fhosts/Caddyfile', '404'],
  ['//_hosts/nginx.conf', '404'],
  ['/.htaccess', '404'],
  ['/.htpasswd', '404 | 403'],
  // Icons that the site does not hold.
  ['/sprites/items/master-ball.png', `302 ${UPSTREAM}master-ball.png`],
  ['/sprites/items/../../../evil/x.png', '404 | 400 -'],
  ['/sprites/items/%2e%2e/%2e%2e/x.png', '404 | 400 -'],
  ['/sprites/items/a%0D%0AX-Evil:1.png', '404'],
  // A missing trailing slash.
  ['/api/gamedata', '301 /api/gamedata/'],
  ['/api/gamedata/move?limit=1&format=api', '301 /api/gamedata/move/?limit=1&format=api'],
  ['/api/gamedata/move/pound?x=%20%C3%A9%0D%0A', '301 /api/gamedata/move/pound/?x=%20%C3%A9%0D%0A'],
  // Renamed records.
  ['/api/gamedata/move/old-pound/', '301 /api/gamedata/move/pound/'],
  ['/api/gamedata/item/old-master-ball/', '301 /api/gamedata/item/master-ball/'],
  [
    '/api/gamedata/move/old-pound/?format=api&x=%20%C3%A9%0D%0A',
    '301 /api/gamedata/move/pound/?format=api&x=%20%C3%A9%0D%0A',
  ],
  ['/api/gamedata/move/old-pound', '301 /api/gamedata/move/old-pound/'],
  ['/api/gamedata/move/old-pound/?format=xml', '404'],
  ['/api/gamedata/move/taken-again/', '200 api/gamedata/move/taken-again/index.json'],
  ['/_hosts/caddy-moved.map', '404'],
  // Never to another host, whatever the path starts with.
  ['//api/gamedata/move', '301 /api/gamedata/move/ | 404'],
  ['//evil.example/../api/gamedata/move', '301 /api/gamedata/move/ | 404 | 400 -'],
  [
    '/api/gamedata/move/%0d%0aX-Evil:1',
    '301 /api/gamedata/move/%0d%0aX-Evil:1/ | 301 /api/gamedata/move/%0d%0aX-Evil%3a1/',
  ],
];

/** `Accept`, query and what answers on the list of moves. */
const accepts: [accept: string, query: string, expected: string][] = [
  [BROWSER, '?format=api', page],
  [BROWSER, '?format=json', move],
  [BROWSER, '?format=api&format=json', move],
  [BROWSER, '?format=json&format=api&offset=100', page],
  [BROWSER, '?offset=50', '400 browse.html'],
  [BROWSER, '?format=xml', '404 browse.html'],
  [BROWSER, '?format=xml&format=json&offset=50', '400'],
  ['TEXT/HTML', '', page],
  ['image/avif, text/html', '', page],
  ['text/html', '?format=json', move],
  ['text/*', '', page],
  ['text/html;q=0.5', '', page],
  // Scrapy's default, too.
  [BROWSER, '', page],
  // Early Safari's, which some programs pass on.
  [
    'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5',
    '?format=api',
    page,
  ],
  ['text/html;q=0.4, */*;q=0.5', '', move],
  ['text/html; q=1.0, */*; q=0.8', '', page],
  ['application/json;q=0.9, text/html;q=0.8, */*;q=0.1', '', move],
  // Java's own client, of today and of before.
  ['text/html, image/gif, image/jpeg, */*; q=0.2', '', move],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', '?format=api', move],
  ['text/html, image/gif, image/jpeg, */*; q=0.2', '?format=xml', '404'],
  ['text/html, application/json', '', move],
  ['application/json, text/plain, */*', '', move],
  ['application/json; indent=4', '', move],
  ['text/htmlx', '', move],
  ['image/png', '?format=api', move],
];

/** Method, path and what answers. */
const methods: [method: string, path: string, expected: string][] = [
  ['DELETE', '/api/gamedata/move/nope/', '405'],
  ['PROPFIND', '/api/gamedata/move/', '405'],
  ['POST', '/api/gamedata/move/?format=xml', '404'],
  ['POST', '/', '405'],
  ['POST', '/nothing', '404'],
  ['HEAD', '/api/gamedata/move/?offset=100', move100],
  ['HEAD', '/api/gamedata/move/old-pound/', '301 /api/gamedata/move/pound/'],
  ['POST', '/api/gamedata/move/old-pound/', '405'],
];

/** A path that a browser asks for → what answers it. */
const browsed: [path: string, expected: string, method?: string][] = [
  ['/api/gamedata/', page],
  ['/api/gamedata/move/pound/', page],
  ['/api/gamedata/move/pound/?format=json', pound],
  ['/api/gamedata/move/nope/', '404 browse.html'],
  ['/api/gamedata/move/nope/?format=api', '404 browse.html'],
  ['/api/gamedata/move/nope/?format=json', '404'],
  ['/api/gamedata/move/nope/?form%61t=json', '404'],
  ['/api/gamedata/nope/', '404 browse.html'],
  ['/api/gamedata/nope', '404 browse.html'],
  ['/api/gamedata/a/b/c.json', '404 browse.html'],
  ['/api/gamedatas/', '404 404.html'],
  ['/nope', '404 404.html'],
  ['/nope/?format=json', '404'],
  ['/_hosts/nginx.conf', '404 404.html'],
  ['/docs/', '200 docs/index.html'],
  ['/docs', '301 /docs/'],
  ['/docs?a=b', '301 /docs/?a=b'],
  ['/api/gamedata/move/old-pound/', '301 /api/gamedata/move/pound/'],
  ['/api/gamedata/move/nope/', '405', 'POST'],
  ['/nope', '404', 'POST'],
  ['/api/gamedata/move/nope/', '404 browse.html', 'HEAD'],
];

const LIST = '/api/gamedata/move/';
const questions: [question: Question, expected: string][] = [];
for (const [query, expected] of queries) questions.push([{ path: LIST + query }, expected]);
for (const [path, expected] of paths) questions.push([{ path }, expected]);
for (const [accept, query, expected] of accepts)
  questions.push([{ path: LIST + query, headers: { accept } }, expected]);
for (const [path, expected, method] of browsed)
  questions.push([{ method, path, headers: { accept: BROWSER } }, expected]);
for (const [method, path, expected] of methods) questions.push([{ method, path }, expected]);

const folder = sharedFolder();
const site = path.join(folder, 'site');
beforeAll(async () => {
  // The configurations of all three: each keeps the others' to itself too.
  await build({
    source: 'snapshot',
    upstream: renamedSnapshot(path.join(folder, 'data')),
    baseUrl: 'https://example.test',
    out: site,
    hosts: ['nginx', 'caddy', 'apache'],
  });
  // What the operator's last reload does not know: a later site has a record at an address that had moved.
  mkdirSync(path.join(site, 'api/gamedata/move/taken-again'));
  writeFileSync(path.join(site, 'api/gamedata/move/taken-again/index.json'), '{"slug":"taken-again"}');
});

for (const engine of [nginx, caddy, apache]) {
  const missing = engine.missing();
  const reason = missing === undefined ? '' : ` (skipped: ${missing})`;

  describe.skipIf(missing !== undefined)(`${engine.name}${reason}`, () => {
    let running: RunningEngine;
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });

    beforeAll(async () => {
      running = await engine.start(site);
    });
    afterAll(async () => {
      agent.destroy();
      await running?.stop();
    });

    const ask = (question: Question): Promise<Reply> => send(running.url, agent, question);

    /** Holds a reply to `<status> <file or address>`; of several, divided by `|`, one has to be right. */
    async function check(question: Question, expected: string): Promise<void> {
      const reply = await ask(question);
      const [first = ''] = expected.split(' | ');
      const chosen =
        expected.split(' | ').find((one) => describeReply(one, question, reply) === one) ?? first;
      expect(describeReply(chosen, question, reply)).toBe(chosen);
      if (!chosen.endsWith(' -')) expect(reply.headers).toMatchObject(expectedHeaders(chosen));
    }

    /** The reply in the words of what is expected. */
    function describeReply(expected: string, { method = 'GET' }: Question, reply: Reply): string {
      const { status, headers, body } = reply;
      const [wanted, target = errorFiles[Number(expected) as keyof typeof errorFiles]] = expected.split(' ');
      if (String(status) !== wanted) return `${status} ${body.toString().slice(0, 60)}`;
      if (target === '-' || status === 204 || status === 403) return expected;
      if (status === 301 || status === 302)
        return `${status} ${headers.location?.replace(/^https:\/\/example\.test(?=\/)/, '')}`;
      if (method === 'HEAD') return body.length === 0 ? expected : `${status} with a body`;
      // Apache cannot name the method.
      const notAllowed = engine === apache ? errorDetails[405] : notAllowedDetail(method);
      if (status === 405) return `${body}`.trim() === errorBody(notAllowed) ? expected : `${body}`;
      return body.equals(readFileSync(path.join(site, target ?? '')))
        ? expected
        : `${status} ${body.toString().slice(0, 200)}`;
    }

    it.each(questions)('answers %j with %s', check);
  });
}

interface Question {
  readonly method?: string | undefined;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Reply = Awaited<ReturnType<typeof send>>;

/** The path goes out as it is: clients with better manners would tidy it up. */
async function send(url: string, agent: Agent, { method = 'GET', path: asked, headers = {} }: Question) {
  const outgoing = request(url, { method, path: asked, agent, headers }).end();
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  if (!response) throw new Error('no response');
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const lower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The headers that a response has to have whatever was asked for, and its type; verify checks those of the API and of files. */
function expectedHeaders(expected: string): object {
  const [status = '', file = ''] = expected.split(' ');
  const isError = status.startsWith('4');
  const isJson = file.endsWith('.json') || (isError && file === '' && status !== '403');
  return {
    ...lower(commonHeaders),
    ...(isError ? lower({ ...errorHeaders, Allow: apiHeaders.Allow }) : {}),
    ...(file.endsWith('.html') ? lower(htmlHeaders) : {}),
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...(file.endsWith('.html')
      ? { 'content-type': expect.stringMatching(/^text\/html; charset=utf-8$/i) }
      : {}),
  };
}
