/** The site's two files about itself: `meta.json` (what data it holds) and `manifest.json` (which files it consists of). */

import * as z from 'zod';
import { mapKinds } from './kinds.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { namesSummarySchema } from './names.ts';
import { type LinkBase, linkStyles, PLAIN_URL, PLAIN_URL_RULE } from './paths.ts';
import { addMissingKinds, countsSchema, skippedSchema } from './records.ts';
import { defaultIconSource, iconModes } from './routes.ts';

/** A state in which the upstream was deployed as a whole. Not every upstream names them. */
export const editionSchema = z.object({
  hash: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .describe('The commit that its data was made from.'),
  deployed: z.iso.datetime().describe('When it was deployed.'),
});
export type Edition = z.infer<typeof editionSchema>;

/** As people read it: `edition 0d8fe2bf of 2026-08-06`. */
export const describeEdition = ({ hash, deployed }: Edition): string =>
  `edition ${hash.slice(0, 8)} of ${deployed.slice(0, 10)}`;

export const findNewestEdition = (editions: Iterable<Edition | null>): Edition | null =>
  [...editions].reduce((newest, edition) => {
    if (!edition || (newest && newest.deployed >= edition.deployed)) return newest;
    return edition;
  }, null);

/** The earliest deploy date that is believed: before it, the upstream did not exist. */
export const MIN_DEPLOY_TIME = Date.UTC(2014, 0) / 1000;
const DAY_MS = 86_400_000;

/**
 * An edition as the upstream names it: a commit, and seconds since 1970 as text. Null if either is not what it should be.
 *
 * @param now in milliseconds; a later date, beyond the difference of two clocks, is not believed
 */
export function parseEdition(hash: unknown, deployed: unknown, now: number): Edition | null {
  const seconds = /^\d{1,10}$/.test(String(deployed)) ? Number(deployed) : 0;
  if (seconds < MIN_DEPLOY_TIME) return null;
  const time = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
  const edition = editionSchema.safeParse({ hash, deployed: time }).data;
  return edition && !isAhead(edition, now) ? edition : null;
}

/** Whether an edition is dated more than a day ahead, which no difference of two clocks explains. */
export const isAhead = ({ deployed }: Edition, now: number): boolean => Date.parse(deployed) > now + DAY_MS;

/**
 * Within one format, fields may be added: readers ignore those they do not know and have defaults for those that are
 * missing. Any other change needs a new format.
 */
export const FORMAT = 1;

/** The field of a schema. */
export const formatField = {
  format: z.int().min(1).default(FORMAT).describe('The version of this file.'),
};

/** Throws the error that `reject` creates if a file has another format, or none, as before 0.2. */
export function rejectOtherFormat(
  json: unknown,
  reject: (problem: string, options: { hint: string }) => Error,
): void {
  const { data } = z.object({ format: z.number().optional() }).safeParse(json);
  if (!data || data.format === FORMAT) return;
  const isNewer = data.format !== undefined && data.format > FORMAT;
  throw reject(
    `has ${data.format === undefined ? 'no format' : `format ${data.format}`}, this version of gamedata reads format ${FORMAT}`,
    {
      hint: isNewer
        ? 'A newer version of gamedata wrote it: upgrade, or use another folder.'
        : 'An older version of gamedata wrote it: read its data again from the upstream, into another folder.',
    },
  );
}

/** `meta.json`. Independent of when and where the site was built. */
export const metaSchema = z
  .strictObject({
    ...formatField,
    generator: z.string().describe('The version of gamedata that built the site.'),
    source: z.enum(['rest', 'csv', 'snapshot']).describe('The source that the build read.'),
    upstream: z
      .string()
      .describe('Where the data originally comes from, also if it was read from a snapshot.'),
    captured: z.iso.date().describe('The day on which the data was first seen in its present state.'),
    edition: editionSchema
      .nullable()
      .default(null)
      .describe(
        'The edition of the upstream in which the data was first seen in its present state; null if the upstream names none.',
      ),
    fallback: z
      .string()
      .nullable()
      .describe('Why the build used local data instead of the upstream; null if it did not.'),
    counts: countsSchema,
    skipped: skippedSchema
      .optional()
      .describe('The ids of records of each kind that were left out on purpose; missing if none were.'),
    warnings: addMissingKinds(
      {},
      z
        .strictObject(mapKinds(() => z.record(z.string(), z.int())))
        .describe('The number of records of each kind with a given warning.'),
    ),
    digest: z
      .string()
      .describe('Changes if and only if a record changes: `sha256:` and 64 hexadecimal digits.'),
    names: namesSummarySchema.optional().describe('The names in every language; missing if there are none.'),
    base_url: z.string().describe('The prefix of every link.'),
    links: z.enum(linkStyles).describe('Whether links point to endpoints or to files.'),
    hosts: z.array(z.string()).describe('The hosts that the site has configuration for.'),
    downloads: z.boolean().default(true).describe('Whether the site has bulk files.'),
    archive: z
      .boolean()
      .optional()
      .describe('Whether the site offers itself for download; missing if it does not.'),
    sprites: z
      .strictObject({
        mode: z.enum(iconModes),
        upstream: z.string().regex(PLAIN_URL, `expected ${PLAIN_URL_RULE}`).nullable(),
      })
      .default(defaultIconSource)
      .describe('How icons are served (link, mirror or none), and where they come from.'),
  })
  .meta({ title: 'Description', description: 'The data that a site holds, and how the site was built.' });
export type Meta = z.infer<typeof metaSchema>;

/** With the keys in the schema's order. */
export const createMeta = (meta: Omit<Meta, 'format'>): Meta => metaSchema.parse({ ...meta, format: FORMAT });

export const getLinkBase = ({ base_url, links }: Pick<Meta, 'base_url' | 'links'>): LinkBase => ({
  baseUrl: base_url,
  links,
});

const SITE_PATH = /^(?:(?!\.{1,2}(?:\/|$))[ -.0-[\]-~\u00a0-\uffff]{1,220}(?:\/(?!$)|$)){1,16}$/;

/**
 * Whether a text is a path of a site: relative to its folder, with forward slashes, never leading out of it. Without control
 * characters, and no longer or deeper than every file system and archive can hold: what is read may have been written by
 * anybody.
 */
export const isSitePath = (text: string): boolean => text.length <= 512 && SITE_PATH.test(text);

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

const manifestEntrySchema = z.strictObject({
  path: z
    .string()
    .refine(isSitePath, 'expected a relative path inside the site')
    .describe(
      'Relative to the base URL. Configuration of hosts is listed, but not served: `wrangler.jsonc`, and paths with a segment that starts with a dot or `_`, such as `_hosts/`.',
    ),
  bytes: z.int().min(0).max(MAX_FILE_BYTES).describe('The size.'),
  sha256: sha256Schema.describe('In hexadecimal.'),
});
export type ManifestEntry = z.infer<typeof manifestEntrySchema>;
/** By path. */
export type Entries = ReadonlyMap<string, ManifestEntry>;

export const manifestSchema = z
  .strictObject({
    ...formatField,
    generator: z
      .string()
      .regex(/^gamedata\/.+$/, 'expected gamedata/<version>')
      .describe('The version of gamedata that built the site.'),
    code: sha256Schema.optional().describe('The SHA-256 of the code that made the files.'),
    inputs: sha256Schema
      .optional()
      .describe('The SHA-256 of what they were made from: data, history, options and hand-written files.'),
    files: z.array(manifestEntrySchema).describe('Each file with its size and SHA-256.'),
  })
  .meta({ title: 'Manifest', description: 'Every file of a site except this one, sorted by path.' });
export type Manifest = z.infer<typeof manifestSchema>;
/** What the files of a site were made by, and from: the same gives the same files. */
export type BuildInputs = Omit<Manifest, 'format' | 'files'>;

/** For reading what any version has written: unknown keys are ignored. */
export const metaReader = z.object(metaSchema.shape);
const entryReader = z.object(manifestEntrySchema.shape);

export const manifestReader = z.object({
  ...manifestSchema.shape,
  // Stops at the first problem: a list that others have written may have millions.
  files: z.custom<ManifestEntry[]>(Array.isArray, 'expected a list').superRefine((files, context) => {
    for (const [at, file] of files.entries()) {
      const [problem] = entryReader.safeParse(file).error?.issues ?? [];
      if (!problem) continue;
      context.addIssue({ code: 'custom', message: problem.message, path: [at, ...problem.path] });
      return;
    }
  }),
});

export type Body = string | Uint8Array;

/** A file of the site. `path` is relative to the site's folder, with forward slashes. */
export interface SiteFile {
  readonly path: string;
  readonly body: Body;
}

/** A file whose hash is known in advance: it is made only if the published one differs. */
export interface HashedFile extends ManifestEntry {
  make(): Body;
}

export type AnyFile = SiteFile | HashedFile;

export function encodeBody(file: AnyFile): Uint8Array {
  const body = 'make' in file ? file.make() : file.body;
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}
