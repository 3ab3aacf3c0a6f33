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

Each fault is tried alone, in each list and in the first, a middle and the last record, and several of them at once. A **retried**
one is asked for again (\`--retries\`, 4 unless told otherwise), and built as if nothing had been where that helps. A build that
fails prints the error below and no stack, publishes nothing and leaves the old site untouched. Attempts are shown for
\`--retries 1\`. **exit** is the exit code of the command line; it is tried as a process by \`npm run torture\`.

| exit | when |
|:-:|---|
| 0 | built, or nothing had to be |
| 1 | refused: \`upstream\` (no answer, or one of no use), \`data\` (what came is not what the contract needs), \`output\` (a folder cannot be read or written) |
| 2 | wrong usage: an option, an argument or a variable of the environment |
| 130, 143 | stopped by SIGINT or SIGTERM: nothing was published, what was fetched is in the cache |
`;

export function faultTable(): string {
  const sections = Object.entries(titles).map(([group, title]) => {
    const rows = faults.filter((fault) => fault.group === group).map(row);
    return [
      `\n## ${title}\n`,
      '| fault | in | retried | outcome | exit | error |',
      '|---|---|:-:|---|:-:|---|',
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
  return `| ${[name, places[at], retried ? 'yes' : 'no', end, `${exitCode(outcome)}`, error].map(cell).join(' | ')} |`;
}

/** What the command line ends with. */
export const exitCode = ({ code }: Pick<Fault['outcome'], 'code'>): 0 | 1 => (code === 'built' ? 0 : 1);

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');

export const readFaults = (): string => readFileSync(FILE, 'utf8');
export const writeFaults = (): void => writeFileSync(FILE, faultTable());
