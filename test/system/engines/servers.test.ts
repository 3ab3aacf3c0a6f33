/** nginx, Caddy and Apache with requests that each could misread in its own way. guarantees.test.ts covers the contract. */

import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import {
  apiHeaders,
  commonHeaders,
  createErrorBody,
  errorHeaders,
  formatNotAllowed,
  htmlHeaders,
} from '../../../src/contract/responses.ts';
import { listFiles } from '../../../src/files.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { apache, caddy, nginx } from '../../support/engines/web-servers.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const UPSTREAM = 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';
const LIST = '/api/gamedata/move/';

/** Abbreviations of responses; `-` is any text. */
const responses: Readonly<Record<string, string>> = {
  move: '200 api/gamedata/move/index.json',
  move100: '200 api/gamedata/move/offset/100/index.json',
  move200: '200 api/gamedata/move/offset/200/index.json',
  pound: '200 api/gamedata/move/pound/index.json',
  page: '200 browse.html',
  400: '400 400.json',
  404: '404 404.json',
};

interface Question {
  readonly method?: string;
  readonly path: string;
  readonly accept?: string;
}

/** Parses lines of a path and the accepted responses. */
const parseLines = (lines: string, more: Omit<Question, 'path'> = {}): [Question, expected: string][] =>
  lines
    .trim()
    .split(/\s*\n\s*/)
    .map((line) => {
      const [path = '', ...expected] = line.split(/ +/);
      return [{ path: path.startsWith('/') ? path : LIST + path, ...more }, expected.join(' ')];
    });

const questions = [
  ...parseLines(`
    ?& move
    ?&&offset=100& move100
    ?format=&limit=&offset= move
    ?offset move
    ?offset=800 400
    ?offset=1${'0'.repeat(2000)} 400
    ?offset=+100 400
    ?offset=100/../200 400
    ?offset=100%00 400
    ?offset=$1 400
    ?offset={query} 400
    ?offset=%{ENV:PATH} 400
    ?offset=1?0 400
    ?offset=[1]00 400
    ?limit=100: 400
    ?limit=100;offset=200 400
    ?offset=100&offset=0 move
    ?offset=100&offset= move
    ?offset=100&offset=50 400
    ?offset=100&utm=1&offset=200 move200
    ?format=api&format=xml 404
    ?format=xml&format= move
    ?FORMAT=xml move
    ?o%66fset=100 move100
    ?offset=100&o%66fset=200 move200
    ?for%6Dat=xml 404
    ?xoffset=100 move
    ?offset[]=100 move
    ?page=2&offset=100&utm_source=offset%3D200 move100
    ??offset=200 move
    ?=offset=200 move
    ?x;offset=200 move
    ?x=% move
    ?format=:yes: 404
    ?format=json%00 404
    pound/?offset=100&limit=3 pound
    p%6Fund/ pound
    /API/gamedata/move/ 404
    offset/100/ 404
    pound/%0A 404
    %C3%A9/ 404
    */ 404
    %7Bpath%7D/ 404
    %2e%2e%2f%2e%2e%2f404.json/ 404 | 404 -
    /api/gamedata/../../../../etc/passwd 404 | 400 -
    index.json?offset=100&format=api move
    offset/100/index.json move100
    index.json/more 404
    / 200 index.html
    /sprites/ 404
    /api 404
    /_hosts/nginx.conf 404
    /_hosts/caddy-moved.map 404
    /%5Fhosts/Caddyfile 404
    //_hosts/nginx.conf 404
    /.htaccess 404
    /.htpasswd 404 | 403 -
    /sprites/items/unknown.png 200 sprites/items/unknown.png
    /sprites/items/master-ball.png 302 ${UPSTREAM}/master-ball.png
    /sprites/items/../../../evil/x.png 404 | 400 -
    /sprites/items/%2e%2e/%2e%2e/x.png 404 | 400 -
    /sprites/items/a%0D%0AX-Evil:1.png 404
    /api/gamedata 301 /api/gamedata/
    pound?x=%20%C3%A9%0D%0A 301 /api/gamedata/move/pound/?x=%20%C3%A9%0D%0A
    %0d%0aX-Evil:1 301 ${LIST}%0d%0aX-Evil:1/ | 301 ${LIST}%0d%0aX-Evil%3a1/
    //api/gamedata/move 404
    //api/gamedata/move/ 404
    /api//gamedata/move/ 404
    /%2Fapi/gamedata/move/ 404
    /api/gamedata//move 404
    /api/gamedata/move//pound/ 404
    pound// 404
    //docs 404
    /docs//index.html 404
    //evil.example/../api/gamedata/move 404
    old-pound/?format=api&x=%20%C3%A9%0D%0A 301 /api/gamedata/move/pound/?format=api&x=%20%C3%A9%0D%0A
    old-pound 301 /api/gamedata/move/old-pound/
    old-pound/?format=xml 404
    taken-again/ 200 api/gamedata/move/taken-again/index.json`),
  ...parseLines(
    `
    ?format=api page
    ?format=json move
    ?format=api&format=json move
    ?format=json&format=api&offset=100 page
    ?offset=50 400 browse.html
    ?format=xml 404 browse.html
    ?format=xml&format=json&offset=50 400
    pound/?format=json pound
    nope/ 404 browse.html
    nope/?form%61t=json 404
    /api/gamedata/nope 404 browse.html
    /api/gamedata/a/b/c.json 404 browse.html
    /api/gamedatas/ 404 404.html
    /nope 404 404.html
    /nope/?format=json 404
    /_hosts/nginx.conf 404 404.html
    /docs/ 200 docs/index.html
    /docs?a=b 301 /docs/?a=b
    old-pound/ 301 /api/gamedata/move/pound/`,
    { accept: BROWSER },
  ),
  ...parseLines('nope/ 404 -\n / 200 -\n old-pound/ 301 /api/gamedata/move/pound/', {
    method: 'HEAD',
    accept: BROWSER,
  }),
  ...parseLines('?format=xml 404\n nope/ 405\n old-pound/ 405\n / 405\n /nothing 404', { method: 'POST' }),
  ...parseLines('nope/ 405\n /nope 404', { method: 'DELETE', accept: BROWSER }),
  ...Object.entries({
    'TEXT/HTML': 'page',
    'image/avif, text/html': 'page',
    'text/*': 'page',
    'text/html;q=0.5': 'page',
    'text/html; q=1.0, */*; q=0.8': 'page',
    // Early Safari.
    'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5': 'page',
    'text/html;q=0.4, */*;q=0.5': 'move',
    'application/json;q=0.9, text/html;q=0.8, */*;q=0.1': 'move',
    // Java's own client, old and new.
    'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2': 'move',
    'text/html, image/gif, image/jpeg, */*; q=0.2': 'move',
    'text/html, application/json': 'move',
    'application/json, text/plain, */*': 'move',
    'application/json; indent=4': 'move',
    'text/htmlx': 'move',
    'image/png': 'move',
  }).flatMap(([accept, expected]) => parseLines(`?format=api ${expected}`, { accept })),
];

const folder = sharedFolder();
const site = path.join(folder, 'site');
const withoutIcons = path.join(folder, 'without-icons');
/** Body → file. */
const files = new Map<string, string>();
beforeAll(async () => {
  const upstream = renamedSnapshot(path.join(folder, 'data'));
  // Each server must hide the configuration of the others, too.
  const hosts = ['nginx', 'caddy', 'apache'] as const;
  const options = { source: 'snapshot', upstream, baseUrl: 'https://example.test', hosts } as const;
  await build({ ...options, out: site });
  await build({ ...options, out: withoutIcons, sprites: 'none' });
  // A later site has a record at an old path, and the operator has not reloaded the server.
  mkdirSync(path.join(site, 'api/gamedata/move/taken-again'));
  writeFileSync(path.join(site, 'api/gamedata/move/taken-again/index.json'), '{"slug":"taken-again"}');
  for (const file of listFiles(site).sort().reverse())
    files.set(readFileSync(path.join(site, file), 'latin1'), file);
});

describe.each([nginx, caddy, apache].filter((engine) => !engine.missing()))('$name', (engine) => {
  let running: RunningEngine;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  beforeAll(async () => {
    running = await engine.start(site);
  });
  afterAll(async () => {
    agent.destroy();
    await running.stop();
  });

  it.each(questions)('responds to %j with %s', async (question, expected) => {
    const { status, headers, body } = await send(running.url, agent, question);
    const { method = 'GET' } = question;
    const location = headers.location?.replace(/^https:\/\/example\.test(?=\/)/, '');
    const got = `${status} ${location ?? files.get(body.toString('latin1')) ?? body}`.trim();
    // Apache cannot name the method.
    const notAllowed =
      engine === apache ? '405 405.json' : `405 ${createErrorBody(formatNotAllowed(method))}`;
    const choices = expected
      .split(' | ')
      .map((one) => (one === '405' ? notAllowed : (responses[one] ?? one)));
    const choice = choices.find((one) =>
      one.endsWith(' -') ? got.startsWith(one.slice(0, -2)) : got === one,
    );
    expect([choice ?? got]).toEqual([expect.toBeOneOf(choices)]);
    if (!choice?.endsWith(' -')) expect(headers).toMatchObject(createHeaders(choice ?? ''));
  });

  it('responds with 404 to an unknown icon if icons are not redirected', async () => {
    const server = await engine.start(withoutIcons);
    const { status } = await send(server.url, agent, { path: '/sprites/items/no-such.png' });
    await server.stop();
    expect(status).toBe(404);
  });
});

/** Sends the path unchanged. `fetch` would normalize it. */
async function send(url: string, agent: Agent, { method = 'GET', path: target, accept }: Question) {
  const headers = accept === undefined ? {} : { accept };
  const outgoing = request(url, { method, path: target, agent, headers }).end();
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  if (!response) throw new Error('no response');
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** Headers that are easily lost, because each server sets them in several places. */
function createHeaders(response: string): object {
  const isError = response.startsWith('4');
  const isPage = response.endsWith('.html');
  const expected = {
    ...commonHeaders,
    ...(isError ? { ...errorHeaders, Allow: apiHeaders.Allow } : {}),
    ...(isPage ? htmlHeaders : {}),
  };
  const type = isPage ? /^text\/html; charset=utf-8$/i : /^application\/json$/;
  return {
    ...Object.fromEntries(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value])),
    ...(isPage || isError ? { 'content-type': expect.stringMatching(type) } : {}),
  };
}
