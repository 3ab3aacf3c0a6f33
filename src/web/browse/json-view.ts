/** Formatted JSON, with links to endpoints, and an icon beside every record. */

import { type Content, element } from '../shared/elements.ts';
import { endpointOf } from './address.ts';
import { link } from './place.ts';
import { iconOf } from './records.ts';

const INDENT = '    ';

/** The value as a list of nodes, whose text is exactly `JSON.stringify(value, null, 4)`. */
export function jsonNodes(value: unknown, indent = ''): Content[] {
  if (typeof value === 'string') return [stringNode(value)];
  if (typeof value !== 'object' || value === null)
    return [element('span', { class: value === null ? 'null' : 'literal' }, JSON.stringify(value))];
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const members = Object.entries(value);
  if (members.length === 0) return [open + close];
  const deeper = indent + INDENT;
  const lines = members.flatMap(([key, member], at) => [
    at === 0 ? '\n' : ',\n',
    ...(isList ? iconOf(member).map((icon) => element('span', { class: 'margin' }, icon)) : []),
    deeper,
    ...(isList ? [] : [element('span', { class: 'key' }, JSON.stringify(key)), ': ']),
    ...jsonNodes(member, deeper),
  ]);
  return [open, ...lines, `\n${indent}${close}`];
}

function stringNode(value: string): HTMLElement {
  const shown = JSON.stringify(value);
  const address = endpointOf(value);
  return address === undefined ? element('span', { class: 'string' }, shown) : link(address, shown);
}
