/** `gamedata serve`: its options, and what it prints. */

import { once } from 'node:events';
import type { Command } from 'commander';
import { kindNames } from '../contract/kinds.ts';
import { listPath } from '../contract/paths.ts';
import { printable } from '../contract/words.ts';
import { defaults } from './commands/defaults.ts';
import type { ServeOptions, SiteServer } from './commands/serve.ts';
import { recordCounts } from './lines.ts';
import { addCommon, parseNumber } from './options.ts';
import { perform, print } from './perform.ts';

type Typed = Pick<ServeOptions, 'port' | 'listen' | 'compress'> & { accessLog?: boolean; quiet?: boolean };

export function addServe(command: Command): void {
  addCommon(command)
    .option('--quiet', 'print only problems')
    .summary('serve a built site')
    .description(
      'Serves a built site with the whole contract: any limit and offset, pages for browsers, 304, 405, redirects.',
    )
    .argument('[dir]', 'folder of the site', defaults.out)
    .optionsGroup('Server:')
    .option('--port <n>', 'port to listen on; 0 picks a free one', parseNumber, defaults.port)
    .option('--listen <address>', 'address to listen on', defaults.listen)
    .option('--compress', 'compress API responses, too, not only other files')
    .option('--access-log', 'print a line per request')
    .action((dir: string, { accessLog, quiet = false, ...options }: Typed) =>
      perform({ quiet }, async (reporter, signal) => {
        const { serve } = await import('./commands/serve.ts');
        const onRequest = accessLog ? (line: string) => print([line]) : undefined;
        const server = await serve({ ...options, dir, onRequest, onProblem: reporter.notice });
        if (!quiet) print(servedLines(dir, server));
        if (!signal.aborted) await once(signal, 'abort');
        await server.close();
        return {};
      }),
    );
}

/** Where a site is served, as URLs that terminals make clickable. */
function servedLines(folder: string, { url, meta }: SiteServer): string[] {
  const lists = kindNames.map((kind) => `  ${url}${listPath(kind)}?format=api`);
  const lines = [`${printable(folder)}: ${recordCounts(meta.counts)}, served at`, `  ${url}/`, ...lists];
  if (meta.base_url !== url) lines.push(`Links point to the site's base URL, ${meta.base_url}`);
  return lines;
}
