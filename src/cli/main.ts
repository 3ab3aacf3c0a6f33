#!/usr/bin/env node
/** The process: what it caches, which streams and warnings it ignores, and the command that it runs. */

import module from 'node:module';
import path from 'node:path';
import { PACKAGE_ROOT } from '../version.ts';
import { run } from './program.ts';

// Node 22 and later: beside the code, as whoever may write there may change the code as well. A shared temporary folder is not safe.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(path.join(PACKAGE_ROOT, 'dist', '.cache'));

// A log on a full disk, or a reader that is gone, has no say in what a command does and how it ends.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
// Warnings of Node are for whoever writes programs; the tests see them.
process.removeAllListeners('warning');

await run(process.argv.slice(2));
