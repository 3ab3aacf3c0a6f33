/**
 * Netlify: `_redirects` and `_headers`. No code runs there, so only the built pages are answered.
 *
 * A rule's query parameters match as a subset in Netlify's engine, and as an exact set in its documentation
 * (https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters). One rule for each non-empty subset of
 * the parameters, the largest first, gives the same answer under both readings. A rewrite to a missing file would give
 * the host's own text page, so every slug has a rule, and what is left falls to the JSON 404.
 */

import { DOWNLOAD_FOLDER, PLACEHOLDER_ICON } from '../contract/addresses.ts';
import { downloadFiles } from '../contract/downloads.ts';
import { apiHeaders, commonHeaders, downloadHeaders, mediaTypeOf, pageHeaders } from '../contract/headers.ts';
import type { ListRoute, RouteTable } from '../contract/routes.ts';
import { TYPES_FILE } from '../contract/types.ts';
import type { Host } from './host.ts';

export const netlify: Host = {
  summary: 'rules only: the built pages and records, every other window refused with 404',
  cannot: [
    'unknown-record-format',
    'encoded-names',
    'allow',
    'slash',
    'options',
    'method',
    'browser',
    'windows',
    'repeated',
    'not-acceptable',
  ],
  files: ({ routes }) => [
    { path: '_redirects', body: redirects(routes) },
    { path: '_headers', body: headers(routes) },
  ],
};

const parameters = ['format', 'limit', 'offset'] as const;
type Parameter = (typeof parameters)[number];
type Query = Partial<Record<Parameter, string | number>>;

/** A value that matches anything: rules with it come after those that name the values which exist. */
const anything = (parameter: Parameter): string => `:${parameter}`;

/** The text of all rules, a thousand at a time: a list of one for each record would take more memory than the text. */
function redirects(routes: RouteTable): string {
  let text = '';
  let some: string[] = [];
  for (const line of rules(routes)) {
    if (some.push(line) < 1000) continue;
    text += `${some.join('\n')}\n`;
    some = [];
  }
  return `${text}${some.join('\n')}\n`;
}

function* rules(routes: RouteTable): Generator<string> {
  const missing = routes.errors[404];
  for (const format of routes.formats) yield rule(routes.root.path, { format }, routes.root.file, 200);
  yield rule(routes.root.path, { format: anything('format') }, missing, 404);
  yield rule(routes.root.path, {}, routes.root.file, 200);
  for (const list of routes.lists) yield* listRules(routes, list);
  for (const { path, file } of routes.records) yield rule(path, {}, file, 200);
  // Netlify passes the query on: https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
  for (const { path, to } of routes.moved) yield `${path} ${to} 301`;
  yield rule(`${routes.prefix}*`, {}, missing, 404);
  // Where another host reads this file too, a rule may come before the file of the same address.
  yield rule(`/${PLACEHOLDER_ICON}`, {}, PLACEHOLDER_ICON, 200);
  const { path, upstream } = routes.pictures;
  if (upstream !== null) yield `${path}* ${upstream}:splat 302`;
}

/** The rules of a list: within each subset of the parameters first what exists, then the refusal of what does not. */
function* listRules(routes: RouteTable, { path, pages }: ListRoute): Generator<string> {
  for (const subset of subsets) {
    const limit: Query = subset.includes('limit') ? { limit: routes.pageSize } : {};
    const formats: Query[] = subset.includes('format') ? routes.formats.map((format) => ({ format })) : [{}];
    for (const format of formats) {
      for (const { offset, file } of subset.includes('offset') ? pages : pages.slice(0, 1)) {
        const start: Query = subset.includes('offset') ? { offset } : {};
        yield rule(path, { ...format, ...limit, ...start }, file, 200);
      }
    }
    // The body says what is available; where only `format` is wrong there is nothing to say but that it is not there.
    const body = subset.length === 1 && subset[0] === 'format' ? routes.errors[404] : routes.errors[400];
    if (subset.length > 0) {
      yield rule(path, Object.fromEntries(subset.map((name) => [name, anything(name)])), body, 404);
    }
  }
}

/** Every subset of the parameters, the largest first, the empty one last. */
const subsets: readonly (readonly Parameter[])[] = Array.from({ length: 2 ** parameters.length }, (_, bits) =>
  parameters.filter((_, at) => bits & (1 << at)),
).sort((a, b) => b.length - a.length);

function rule(path: string, query: Query, file: string, status: number): string {
  const conditions = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return [path, ...conditions, `/${file}`, status].join(' ');
}

/** Netlify matches `_headers` by the path asked for, its local server by the rewritten one: both are listed. */
function headers(routes: RouteTable): string {
  const refusals = Object.values(routes.errors).map((file) => `/${file}`);
  // A star stands for the end of a path only: what has a type of its own is named.
  const typed = [...downloadFiles, TYPES_FILE].filter((file) => mediaTypeOf(file) !== undefined);
  const blocks: [path: string, headers: Readonly<Record<string, string>>][] = [
    // A page may lie at any address, and what is no page does not mind the policy.
    ['/*', { ...commonHeaders, ...pageHeaders }],
    ...[`${routes.prefix}*`, ...refusals].map((path): (typeof blocks)[number] => [path, apiHeaders]),
    [`/${DOWNLOAD_FOLDER}*`, downloadHeaders],
    ...typed.map((file): (typeof blocks)[number] => [
      `/${file}`,
      { 'Content-Type': mediaTypeOf(file) ?? 'application/json' },
    ]),
  ];
  return blocks
    .map(([path, fields]) => [path, ...Object.entries(fields).map(([name, value]) => `  ${name}: ${value}`)])
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}
