/** The table of hosts for people: what each can and cannot do. */

import { type ClauseName, clauseNames, clauses } from '../contract/clauses.ts';
import type { Host } from './host.ts';
import { hosts } from './index.ts';
import { type HostName, hostNames } from './names.ts';

export interface HostDescription {
  readonly name: HostName;
  readonly summary: string;
  /** `full` keeps every clause of the contract. */
  readonly level: 'full' | 'static';
  readonly can: readonly ClauseName[];
  readonly cannot: readonly ClauseName[];
}

export function describeHosts(): HostDescription[] {
  return hostNames.map((name) => {
    const { summary, cannot }: Host = hosts[name];
    const can = clauseNames.filter((clause) => !cannot.includes(clause));
    return { name, summary, level: cannot.length === 0 ? 'full' : 'static', can, cannot };
  });
}

export function hostLines(): string[] {
  return describeHosts().flatMap(({ name, summary, level, cannot }) => [
    `${name} (${level}): ${summary}`,
    ...cannot.map((clause) => `  cannot keep ${clause}: ${clauses[clause].title}`),
  ]);
}
