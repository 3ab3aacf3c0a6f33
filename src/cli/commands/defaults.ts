/** The defaults of options: the only place where they are defined, for the command line and the API alike. */

import path from 'node:path';

export const defaults = {
  source: 'auto',
  concurrency: 16,
  retries: 4,
  cache: path.join('.cache', 'gamedata'),
  maxShrink: 1,
  baseUrl: 'http://localhost:3000',
  out: 'build',
  data: 'data',
  hosts: ['netlify'],
  links: 'query',
  sprites: 'link',
  level: 'static',
  archiveOut: '.',
  port: 3000,
  listen: '127.0.0.1',
} as const;
