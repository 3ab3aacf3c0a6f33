import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

type Rooms = Record<string, { holds: string; imports: string[]; packages: string[] }>;

function roomsTable(): string {
  const rooms = JSON.parse(read('architecture.json')) as Rooms;
  const rows = Object.entries(rooms).map(([name, { holds, imports, packages }]) => {
    const may = imports.map((other) => `\`${other}\``).join(', ');
    const external = packages.map((one) => `\`${one}\``).join(', ');
    return `| \`${name}\` | ${holds} | ${may || '–'} | ${external || '–'} |`;
  });
  return ['| folder | holds | may import | packages |', '|---|---|---|---|', ...rows].join('\n');
}

it('the table of rooms in ARCHITECTURE.md is a copy of architecture.json', () => {
  const text = read('ARCHITECTURE.md');
  const [, table] = /<!-- rooms: [^>]*-->\n([\s\S]*?)\n?<!-- \/rooms -->/.exec(text) ?? [];
  expect(table).toBe(roomsTable());
});
