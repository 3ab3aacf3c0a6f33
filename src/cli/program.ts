/** The command line: its commands, each of which is declared in a file of its own and loads its code only when it runs. */

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { addArchive } from './archive-command.ts';
import { addBuild } from './build-command.ts';
import { addDiff } from './diff-command.ts';
import { addMirror } from './mirror-command.ts';
import { compactHelp } from './options.ts';
import { addRebase } from './rebase-command.ts';
import { addServe } from './serve-command.ts';
import { addSnapshot } from './snapshot-command.ts';
import { addVerify } from './verify-command.ts';

/** The configuration of the working folder, if there is one. */
const DEFAULT_CONFIG = 'gamedata.config.json';

export function createProgram(): Command {
  const program = new Command('gamedata')
    .description('Builds a read-only JSON API of game moves and items as static files for a CDN.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp(compactHelp)
    .hook('preAction', async (_, command) => {
      const { config = existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined } = command.opts();
      if (config === undefined) return;
      const { configure } = await import('./config.ts');
      configure(program, command, config, process.env);
    });
  addBuild(program.command('build'));
  addSnapshot(program.command('snapshot'));
  addVerify(program.command('verify'));
  addMirror(program.command('mirror'));
  addRebase(program.command('rebase'));
  addArchive(program.command('archive'));
  addDiff(program.command('diff'));
  addServe(program.command('serve'));
  return program;
}
