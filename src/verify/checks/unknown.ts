/** Checks of what does not exist: a JSON 404, by any spelling. */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { listPath, recordPath } from '../../contract/paths.ts';
import { type Check, checkEach, errorProblem, type VerifyContext } from '../context.ts';

const notFound = (pathsOf: (context: VerifyContext) => readonly string[]): Check =>
  checkEach(
    (context) => pathsOf(context).map((path) => ({ path })),
    (response) => errorProblem(response, 404),
  );

/** The slug of the first record of a kind. */
const knownSlug = ({ lists }: VerifyContext, kind: Kind): string => lists[kind].records[0]?.slug ?? 'none';

const withUnknownFormats = (path: string): string[] =>
  ['xml', 'API', 'html'].map((format) => `${path}?format=${format}`);

export const unknownChecks = {
  'unknown-slug': notFound((context) =>
    kindNames.flatMap((kind) => [
      recordPath(kind, 'no-such-slug'),
      `${recordPath(kind, 'no-such-slug')}?format=api`,
      recordPath(kind, knownSlug(context, kind).toUpperCase()),
      recordPath(kind, '0'),
    ]),
  ),
  'unknown-path': notFound((context) => [
    '/api/gamedata/no-such-kind/',
    `${listPath('move')}offset/100/`,
    `${recordPath('move', knownSlug(context, 'move'))}more/`,
  ]),
  'unknown-format': notFound(() => kindNames.flatMap((kind) => withUnknownFormats(listPath(kind)))),
  'unknown-record-format': notFound((context) =>
    kindNames.flatMap((kind) => withUnknownFormats(recordPath(kind, knownSlug(context, kind)))),
  ),
};
