/** FAULTS.md: the table of faults as people read it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectedMessage, type Fault, faults } from './faults.ts';

const FILE = fileURLToPath(new URL('../../FAULTS.md', import.meta.url));

const titles: Readonly<Record<Fault['group'], string>> = {
  connection: 'Connections',
  status: 'Statuses',
  body: 'Bodies',
  cache: 'Validators',
  list: 'Lists',
  id: 'Ids',
  key: 'Keys',
  slug: 'Slugs',
  name: 'Names',
};

const places: Readonly<Record<Fault['at'], string>> = {
  anywhere: 'lists and records',
  'first list': 'all',
  lists: 'lists',
  records: 'records',
};

const INTRODUCTION = `<!-- made by \`npm run readme:faults\` of the table that test/torture/faults.test.ts tries -->
# What can go wrong upstream, and what a build makes of it

Each fault is tried alone, in each list and in the first, a middle and the last record. A **retried** one is asked for again
(\`--retries\`, 4 unless told otherwise), and built as if nothing had been where that helps. A build that fails ends with
exit code 1 and the error below, prints no stack, publishes nothing and leaves the old site untouched; one that is *built* ends
with exit code 0. Attempts are shown for \`--retries 1\`.
`;

export function faultTable(): string {
  const sections = Object.entries(titles).map(([group, title]) => {
    const rows = faults.filter((fault) => fault.group === group).map(row);
    return [
      `\n## ${title}\n`,
      '| fault | in | retried | outcome | error |',
      '|---|---|:-:|---|---|',
      ...rows,
    ].join('\n');
  });
  return `${INTRODUCTION}${sections.join('\n')}\n`;
}

function row(fault: Fault): string {
  const { name, at, retried, outcome } = fault;
  const told = { url: '<url>', kind: '<kind>', slug: '<slug>', id: '<id>', seconds: 60 };
  const [end, error] =
    outcome.code === 'built'
      ? [`built ${outcome.says}`, '']
      : [`refused (\`${outcome.code}\`)`, code(expectedMessage(fault, told, at === 'lists'))];
  return `| ${[name, places[at], retried ? 'yes' : 'no', end, error].map(cell).join(' | ')} |`;
}

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');

export const readFaults = (): string => readFileSync(FILE, 'utf8');
export const writeFaults = (): void => writeFileSync(FILE, faultTable());
