/** The hosts command: what each host supports. */

import { type GuaranteeName, guaranteeNames } from '../../contract/guarantees.ts';
import type { Host } from '../../hosts/host.ts';
import { hosts } from '../../hosts/index.ts';
import { type HostName, hostNames } from '../../hosts/names.ts';

export interface HostDescription {
  readonly name: HostName;
  readonly summary: string;
  /** `full` supports the whole contract. */
  readonly level: 'full' | 'static';
  readonly supported: readonly GuaranteeName[];
  readonly unsupported: readonly GuaranteeName[];
}

export function describeHosts(): HostDescription[] {
  return hostNames.map((name) => {
    const { summary, unsupported }: Host = hosts[name];
    const supported = guaranteeNames.filter((guarantee) => !unsupported.includes(guarantee));
    const level = unsupported.length === 0 ? 'full' : 'static';
    return { name, summary, level, supported, unsupported };
  });
}
