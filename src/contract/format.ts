/** The version of the files that we read back: `meta.json`, `manifest.json` and a snapshot's `provenance.json`. */

import * as z from 'zod';

/**
 * Within one format, fields may be added: readers ignore those they do not know and have defaults for those that are
 * missing. Any other change needs a new format.
 */
export const FORMAT = 1;

/** The field of a schema. Files written before there was a format have none, and are format 1. */
export const formatField = {
  format: z.int().positive().default(FORMAT).describe('The version of this file.'),
};

/** Throws the error that `refuse` makes if a file is of a format that this version cannot read. */
export function refuseNewerFormat(
  json: unknown,
  refuse: (problem: string, options: { hint: string }) => Error,
): void {
  const { data } = z.object({ format: z.number() }).safeParse(json);
  if (!data || data.format <= FORMAT) return;
  throw refuse(`has format ${data.format}, this version of gamedata reads format ${FORMAT}`, {
    hint: 'A newer version of gamedata wrote it: upgrade, or use another folder.',
  });
}
