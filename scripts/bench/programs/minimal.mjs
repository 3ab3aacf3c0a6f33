/**
 * The least that makes the same site: a bare undici Pool, JSON.parse, a loop that writes. It keeps no cache, checks nothing
 * and gives up at the first error. Arguments: the upstream, the folder to write, and one with the files that do not depend
 * on the data, which it copies.
 */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { Pool } from 'undici';

const [upstream, out, extras] = process.argv.slice(2);
const { origin, pathname: base } = new URL(upstream);
const SITE = 'http://localhost:3000/api/gamedata';
const pool = new Pool(origin, { connections: 16 });

async function get(path) {
  const { body } = await pool.request({ path, method: 'GET' });
  return JSON.parse(await body.text());
}

async function fetchKind(kind) {
  const { results } = await get(`${base}/${kind}/?limit=100000&offset=0`);
  const answers = await Promise.all(results.map(({ url }) => get(new URL(url).pathname)));
  return answers.sort((a, b) => a.id - b.id);
}

const generation = ({ url }) => Number(url.split('/').at(-2));
const words = (slug) =>
  slug
    .split('-')
    .filter(Boolean)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join(' ');

const reduce = {
  move: ({ answer, slug, name }) => ({
    id: answer.id,
    slug,
    name,
    generation: generation(answer.generation),
  }),
  item({ answer, slug, name }) {
    const ids = {};
    for (let of = 1; of <= 9; of++) ids[`id${of}`] = null;
    for (const entry of answer.game_indices) ids[`id${generation(entry.generation)}`] ??= entry.game_index;
    const sprite = answer.sprites.default;
    const icon = sprite ? sprite.slice(sprite.lastIndexOf('sprites/items/')) : 'sprites/items/unknown.png';
    return { id: answer.id, ...ids, slug, name, icon };
  },
};

function writeFile(folder, body) {
  mkdirSync(`${out}/${folder}`, { recursive: true });
  writeFileSync(`${out}/${folder}/index.json`, body);
}

function writeKind(kind, answers) {
  const slugs = new Set();
  const bodies = answers.map((answer) => {
    const slug = slugs.has(answer.name) ? `${answer.name}-${answer.id}` : answer.name;
    slugs.add(slug);
    const name = answer.names.find(({ language }) => language.name === 'en')?.name ?? words(answer.name);
    const url = `${SITE}/${kind}/${slug}/?format=api`;
    const body = JSON.stringify({ url, ...reduce[kind]({ answer, slug, name }) });
    writeFile(`api/gamedata/${kind}/${slug}`, body);
    return body;
  });
  const link = (offset) => {
    if (offset < 0 || offset >= bodies.length) return 'null';
    return JSON.stringify(`${SITE}/${kind}/?format=api&limit=100&offset=${offset}`);
  };
  for (let offset = 0; offset < bodies.length; offset += 100) {
    const results = bodies.slice(offset, offset + 100).join(',');
    const page = `{"count":${bodies.length},"next":${link(offset + 100)},"previous":${link(offset - 100)},"results":[${results}]}`;
    writeFile(`api/gamedata/${kind}${offset ? `/offset/${offset}` : ''}`, page);
  }
}

const [moves, items] = await Promise.all([fetchKind('move'), fetchKind('item')]);
writeKind('move', moves);
writeKind('item', items);
cpSync(extras, out, { recursive: true });
await pool.close();
