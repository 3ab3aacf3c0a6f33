/** The README's table of clauses and hosts, made of what the engines really did. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ClauseName, clauseNames, clauses } from '../../src/contract/clauses.ts';

const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const BEGIN = '<!-- clauses: made by `npm run readme:clauses` -->';
const END = '<!-- /clauses -->';

/** Engine → the clauses it did not keep. */
export type Results = ReadonlyMap<string, readonly ClauseName[]>;

/** `●` kept, `–` not. Clauses that the same engines kept share a row. */
export function clauseTable(results: Results): string {
  const names = [...results.keys()];
  const titles = new Map<string, string[]>();
  for (const clause of clauseNames) {
    const marks = names.map((name) => (results.get(name)?.includes(clause) ? '–' : '●')).join(' | ');
    titles.set(marks, [...(titles.get(marks) ?? []), clauses[clause].title]);
  }
  const rows = [...titles].map(([marks, shared]) => `| ${shared.join('<br>')} | ${marks} |`);
  return [`| clause | ${names.join(' | ')} |`, `|---|${':-:|'.repeat(names.length)}`, ...rows].join('\n');
}

export function readmeTable(): string {
  const readme = readFileSync(README, 'utf8');
  return readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END)).trim();
}

export function writeReadmeTable(table: string): void {
  const readme = readFileSync(README, 'utf8');
  const before = readme.slice(0, readme.indexOf(BEGIN) + BEGIN.length);
  writeFileSync(README, `${before}\n${table}\n${readme.slice(readme.indexOf(END))}`);
}
