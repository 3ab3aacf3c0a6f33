/** Measures builds that fetch every record, or know all of them from their last run. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { kindNames } from '../../src/contract/kinds.ts';
import type { UpstreamData } from '../../test/support/upstream-data.ts';
import type { Checkout } from './builds.ts';
import { type Figures, measure, run, type Subject } from './measure.ts';

const UPSTREAM = fileURLToPath(new URL('../upstream.ts', import.meta.url));

export async function measureFetching(
  checkouts: readonly Checkout[],
  { upstream, rounds }: { upstream: UpstreamData; rounds: number },
): Promise<Figures> {
  // A process of its own, so that it shares no event loop with what is measured.
  const server = spawn(process.execPath, ['--import', 'tsx', UPSTREAM]);
  process.once('exit', () => server.kill());
  const figures = new Map<string, number>();
  for await (const line of createInterface({ input: server.stdout })) {
    const url = line.slice(line.indexOf('http:'));
    const subjects = checkouts.flatMap(({ name, at, build }): Subject[] => {
      const rest = (cache: string): string[] =>
        build('fetched', '--source', 'rest', '--upstream', url, '--cache', at(cache));
      run(rest('full'));
      figures.set(`${name}requests`, JSON.parse(run(rest('full')).stdout).requests.requests);
      return [
        { name: `${name}rest`, anew: [at('fetched'), at('empty')], commands: [rest('empty')] },
        { name: `${name}rest again`, anew: [at('fetched')], commands: [rest('full')] },
      ];
    });
    for (const [name, seconds] of measure([...subjects, curl(upstream, url)], rounds))
      figures.set(name, seconds);
    server.kill();
  }
  return figures;
}

/** All records, thrown away as they arrive, over at most 50 connections. */
function curl(upstream: UpstreamData, url: string): Subject {
  const urls = kindNames.flatMap((kind) => upstream.list(kind).map(({ id }) => `${url}/${kind}/${id}/`));
  const options = ['--silent', '--fail', '--compressed', '--parallel', '--parallel-max', '50'];
  const targets = urls.flatMap((of) => ['--output', '/dev/null', of]);
  return { name: 'curl --parallel', commands: [['curl', ...options, ...targets]] };
}
