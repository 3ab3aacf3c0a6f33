/** Load by wrk: 32 connections from 2 threads that ask for some paths in turn. */

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Load {
  readonly url: string;
  readonly paths: readonly string[];
  /** The `Accept-Encoding` of every request. */
  readonly encoding?: string | undefined;
  readonly seconds: number;
  /** Where wrk's script may be written. */
  readonly folder: string;
}

export interface Measured {
  readonly requests: number;
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
}

/** @throws if any answer is not a 2xx or 3xx, or a connection fails: what is measured then is something else */
export async function runWrk({ url, paths, encoding, seconds, folder }: Load): Promise<Measured> {
  const script = path.join(folder, 'paths.lua');
  writeFileSync(script, lua(paths, encoding));
  const args = ['-t2', '-c32', `-d${seconds}s`, '--latency', '-s', script, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p99: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
  };
}

/** The requests are made once, so that making them costs nothing while it is measured. */
const lua = (paths: readonly string[], encoding?: string): string => `
${encoding === undefined ? '' : `wrk.headers['Accept-Encoding'] = ${JSON.stringify(encoding)}`}
local paths = { ${paths.map((text) => JSON.stringify(text)).join(', ')} }
local requests = {}
local at = 0
init = function()
  for i, path in ipairs(paths) do requests[i] = wrk.format('GET', path) end
end
request = function()
  at = at % #requests + 1
  return requests[at]
end
`;

function milliseconds(match: RegExpExecArray | null): number {
  const [, value, unit] = match ?? [];
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}
