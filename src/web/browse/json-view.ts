/** Formatted JSON, with links to endpoints, and an icon beside every record. */

import { element } from '../shared/elements.ts';
import { iconImage } from '../shared/icon.ts';
import { endpointOf } from './address.ts';

const INDENT = '    ';

export interface JsonLinks {
  /** The `href` of a link to an endpoint. */
  readonly hrefTo: (address: string) => string;
  readonly root: string;
}

/** The value as a list of nodes, whose text is exactly `JSON.stringify(value, null, 4)`. */
export function jsonNodes(value: unknown, links: JsonLinks): Node[] {
  const nodes: Node[] = [];
  const text = (plain: string): void => {
    nodes.push(document.createTextNode(plain));
  };

  function write(part: unknown, indent: string): void {
    if (Array.isArray(part)) {
      writeMembers(
        '[]',
        part.map((member) => [undefined, member]),
        indent,
      );
    } else if (typeof part === 'object' && part !== null) writeMembers('{}', Object.entries(part), indent);
    else if (typeof part === 'string') nodes.push(stringNode(part, links));
    else nodes.push(element('span', { class: part === null ? 'null' : 'literal' }, JSON.stringify(part)));
  }

  function writeMembers(
    [open = '', close = '']: string | readonly string[],
    members: readonly (readonly [key: string | undefined, member: unknown])[],
    indent: string,
  ): void {
    if (members.length === 0) {
      text(open + close);
      return;
    }
    const deeper = indent + INDENT;
    text(`${open}\n`);
    for (const [at, [key, member]] of members.entries()) {
      const icon = key === undefined ? iconOf(member) : undefined;
      if (icon !== undefined) nodes.push(element('span', { class: 'margin' }, iconImage(icon, links.root)));
      text(deeper);
      if (key !== undefined) {
        nodes.push(element('span', { class: 'key' }, JSON.stringify(key)));
        text(': ');
      }
      write(member, deeper);
      text(at < members.length - 1 ? ',\n' : '\n');
    }
    text(indent + close);
  }

  write(value, '');
  return nodes;
}

function stringNode(value: string, { hrefTo }: JsonLinks): Node {
  const shown = JSON.stringify(value);
  const address = endpointOf(value);
  if (address !== undefined) return element('a', { href: hrefTo(address), 'data-address': address }, shown);
  return element('span', { class: 'string' }, shown);
}

/** The icon of a record. */
export function iconOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null || !('icon' in record)) return undefined;
  return typeof record.icon === 'string' ? record.icon : undefined;
}
