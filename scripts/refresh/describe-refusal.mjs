/** Prints the text of an issue about data that was refused, from the report of `gamedata snapshot --json`. */

import { readFileSync } from 'node:fs';
import process from 'node:process';

const [, , file = ''] = process.argv;
const { error } = JSON.parse(readFileSync(file, 'utf8'));
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = process.env;

/** What comes from the upstream is shown as it is: indented, so that nothing in it is markup, a mention or an order. */
const quoted = (text) => text.replace(/^/gm, '    ');

const lines = [
  'The upstream was read, and its data is not believed. The snapshot, and what is published, are as they were.',
  '',
  quoted(error.message),
  ...(error.hint ? ['', error.hint] : []),
  '',
  'To let records go that are gone for good, run the workflow by hand and name them in `allow_missing`.',
  ...(run ? ['', `${server}/${repository}/actions/runs/${run}`] : []),
];
process.stdout.write(`${lines.join('\n')}\n`);
