/** What an upstream can do wrong with its data. */

import {
  built,
  data,
  guard,
  JSON_TYPE,
  type Outcome,
  type Row,
  retell,
  row,
  same,
  send,
  spoilt,
  upstream,
} from './fault-row.ts';
import { type Answer, itemAnswer, moveAnswer } from './upstream-data.ts';

/** The record as it is, but for some fields. */
const tell = (fields: object) => retell((own) => JSON.stringify({ ...JSON.parse(own), ...fields }));

type Listed = { name: string; url: string };
/** The list with its results changed, and another count than theirs if it is given. */
const relisted = (name: string, change: (all: Listed[]) => Listed[], outcome: Outcome, count?: number): Row =>
  row(
    name,
    retell((own) => {
      const results = change(JSON.parse(own).results);
      return JSON.stringify({ count: count ?? results.length, results });
    }),
    outcome,
    { at: 'lists' },
  );

const noLink = data('<kind> › <slug> › url: got "<link>", expected a link to <upstream>/<kind>/<n>/');
export const list: Row[] = [
  relisted('a count of more than there are', (all) => all, data('got 3 results, expected 4, its count'), 4),
  relisted('a count of fewer than there are', (all) => all, data('got 3 results, expected 2, its count'), 2),
  relisted(
    'a record that appears twice',
    (all) => [...all, ...all.slice(0, 1)],
    data('got repeated ids: <id> (<slug>), <id> (<slug>), expected unique ids'),
  ),
  relisted(
    'a record that is gone from the list',
    (all) => all.slice(1),
    guard('got 1 of 3 records missing, expected at most 1 %: <slug>'),
  ),
  relisted('an empty list', () => [], guard('got 0 records, expected at least one')),
  row('a record that is gone once the list was read', send(404), upstream('got 404, expected 200'), {
    ...{ at: 'records', retried: true },
  }),
  row(
    'a record that is renamed once the list was read',
    tell({ name: 'renamed' }),
    data('got id <id>, name "renamed", expected <id>, "<slug>", as in the list'),
    { at: 'records' },
  ),
  row(
    'a record that comes once the list was read',
    ({ response, own, place, answers }) => {
      response.writeHead(200, JSON_TYPE).end(own);
      answers[place.kind].push(place.kind === 'move' ? moveAnswer(50) : itemAnswer(50));
    },
    built('without it: the next build has it'),
  ),
  row(
    'a link to another host',
    retell((own) => own.replaceAll(/127\.0\.0\.1:\d+/g, 'other.test')),
    noLink,
  ),
];

const listedIds = 'pound/ -1/ 1.5/ 0/ 007/ 1e3/ ../1/ 1%2F..%2F2/ 99999999999999999/'.split(' ');
const toldIds: [name: string, id: unknown, got: string][] = [
  ['a string', '1', '"1": expected number, received string'],
  ['negative', -1, '-1: Too small: expected number to be >=1'],
  ['zero', 0, '0: Too small: expected number to be >=1'],
  ['a fraction', 1.5, '1.5: expected int, received number'],
  ['2^53', 2 ** 53, '9007199254740992: Too big: expected int to be <=9007199254740991'],
  ['null', null, 'null: expected number, received null'],
  ['missing', undefined, 'nothing: expected number, received undefined'],
];
export const id: Row[] = [
  ...listedIds.map((path) =>
    relisted(
      `a listed id: \`${path}\``,
      (all) => all.map((one, at) => (at === 0 ? { ...one, url: one.url.replace(/\d+\/$/, path) } : one)),
      noLink,
    ),
  ),
  ...toldIds.map(([name, value, got]) =>
    row(`an id: ${name}`, tell({ id: value }), data(`› id: got ${got}`)),
  ),
  row(
    'an id that no number holds',
    retell((own) => own.replace(/"id":\d+/, '"id":1e400')),
    data('› id: got null: expected <type>, received <type>'),
  ),
];

const POLLUTED = '"__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}}';
export const key: Row[] = [
  row(
    '`__proto__` and `constructor` as keys',
    retell((own) => `{${POLLUTED},${own.slice(1)}`),
    same,
  ),
  row(
    '`__proto__` instead of the fields',
    retell((own) => `{"__proto__":${own}}`),
    data('› id: got nothing: expected number, received undefined'),
    { at: 'records' },
  ),
];

const badSlugs = [
  ...['..', '../x', 'a/b', 'a\\b', '/etc/passwd', 'a\0b', '.', 'con', 'nul', 'com1', 'lpt9', 'offset', 'a_b'],
  ...['a\nb', '攻擊'],
];
/** Slug → what Django's slugify makes of it. */
const adaptedSlugs = {
  'koraidon’s-poké-ball': 'koraidons-poke-ball',
  'steel-bottle-(r)': 'steel-bottle-r',
  '..%2fx': '2fx',
  'a.b': 'ab',
  '.hidden': 'hidden',
  'index.json': 'indexjson',
  'Upper-Case': 'upper-case',
  'a b': 'a-b',
  '-a': 'a',
  ['__proto__']: 'proto',
  'javascript:x': 'javascriptx',
  '<b>': 'b',
};
const slugged = (name: string, slug: string, outcome: Outcome): Row =>
  spoilt(name, (record) => Object.assign(record, { name: slug }), outcome);
const tooLong = `got "${'a'.repeat(79)}…: Too big: expected string to have <=200 characters`;
const safeSlug = 'a safe slug: lower-case letters, digits and inner hyphens';
export const slug: Row[] = [
  ...badSlugs
    .map((name) => JSON.stringify(name))
    .map((shown) =>
      slugged(`the slug \`${shown}\``, JSON.parse(shown), data(`› slug: got ${shown}: expected ${safeSlug}`)),
    ),
  ...Object.entries(adaptedSlugs).map(([name, adapted]) =>
    slugged(`the slug \`${name}\``, name, built(`as \`${adapted}\``, `"slug":"${adapted}"`)),
  ),
  slugged('a slug of 300 characters', 'a'.repeat(300), data(`› slug: ${tooLong}`)),
  slugged('an empty slug', '', data('› name: got "": Too small: expected string to have >=1 characters')),
  slugged(
    'the slug `"constructor"`',
    'constructor',
    built('with it: it is a word like any other', '"slug":"constructor"'),
  ),
];

/** Another English name; those in other languages stay, as a record that loses them is refused for that. */
const named = (what: string, name: string, outcome: Outcome): Row =>
  spoilt(
    what,
    (record) => {
      const names = record.names as { language: { name: string }; name: string }[];
      for (const own of names) if (own.language.name === 'en') own.name = name;
    },
    outcome,
  );
const badNames = {
  'a line break': 'a\nb',
  'a carriage return': 'a\rb',
  'a line separator': 'a\u2028b',
  'an escape sequence': 'a\u001b[31mb',
  NUL: 'a\0b',
  'a C1 control': 'a\u009bb',
  'a right-to-left override': 'a\u202eb',
  'a bidirectional isolate': 'a\u2066b',
  'half a surrogate pair': 'a\ud800b',
};
const oddNames = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '=HYPERLINK("x")',
  '__proto__',
];
const plainText = 'text without control, bidirectional or line-break characters';
export const name: Row[] = [
  ...Object.entries(badNames).map(([what, text]) =>
    named(`a name with ${what}`, text, data(`› name: got ${JSON.stringify(text)}: expected ${plainText}`)),
  ),
  named('a name of a million characters', 'a'.repeat(1_000_000), data(`› name: ${tooLong}`)),
  named(
    'a name with blanks, a byte order mark, soft hyphens or characters without a width around it',
    '\ufeff\u200e Name\u00ad\u00a0\u200b',
    built('without them', '"name":"Name"'),
  ),
  ...['pt_BR', '', '../fr', null].map((language) =>
    spoilt(
      `a name in the language \`${JSON.stringify(language)}\``,
      ({ names }: Answer) => (names as object[]).push({ language: { name: language }, name: 'Nome' }),
      built('without that name', '"slug":'),
    ),
  ),
  ...oddNames.map((text) =>
    named(`the name \`${text}\``, text, built('with it as plain text', `"name":${JSON.stringify(text)}`)),
  ),
];

const LINK = 'https://x.test/';
const oddLinks = [
  '',
  LINK,
  `${LINK}sprites/items/`,
  ...['.svg', '.PNG', '.png?raw=true'].map((end) => `sprites/items/a${end}`),
];
const placeholder = built('with the placeholder', '"icon":"sprites/items/unknown.png"');
const iconOf = (sprites: unknown) => (record: Answer) => Object.assign(record, { sprites });
export const icon: Row[] = [
  ...[...oddLinks, 'sprites/items/é.png', 'sprites/items/%C3%A9.png', [LINK], 7, null].map((link) =>
    spoilt(`the icon \`${JSON.stringify(link)}\``, iconOf({ default: link }), placeholder),
  ),
  spoilt('the icon `[]` in place of the object that has it', iconOf([]), placeholder),
  spoilt('no key of the icon', iconOf({}), data('› sprites.default: got nothing: expected a value')),
];
