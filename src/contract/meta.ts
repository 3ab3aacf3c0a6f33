import * as z from 'zod';
import { GamedataError } from '../errors.ts';
import { mapKinds } from './kinds.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { namesSummarySchema } from './names.ts';
import {
  isUrl,
  type LinkBase,
  linkStyles,
  PLAIN_URL,
  PLAIN_URL_RULE,
} from './paths.ts';
import { addMissingKinds, countsSchema, skippedSchema } from './records.ts';
import { defaultIconSource, iconModes } from './responses.ts';
import { DAY_MS } from './words.ts';

export const editionSchema = z.object({
  hash: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .describe("The commit of the edition's data."),
  deployed: z.iso.datetime().describe('The time of the deployment.'),
});
export type Edition = z.infer<typeof editionSchema>;

/** Describes an edition, such as `edition 0123abcd from 2026-01-02`. */
export function describeEdition({ hash, deployed }: Edition): string {
  const commit = hash.slice(0, 8);
  const day = deployed.slice(0, 10);
  return `edition ${commit} from ${day}`;
}

/**
 * Formats the upstream for a page. A string such as `pokedex@1.1.0` looks like an
 * e-mail address, which Cloudflare's e-mail protection would hide.
 */
export function formatUpstream(upstream: string): string {
  const replacement = isUrl(upstream) ? '%40' : ' ';
  return upstream.replaceAll('@', replacement);
}

/**
 * The earliest plausible deployment time in seconds since 1970. PokeAPI did not exist
 * before then.
 */
const MIN_DEPLOY_TIME = Date.UTC(2014, 0) / 1000;

/**
 * Creates an edition, which is one deployment of the upstream, from the hash of its
 * commit and its deployment time in seconds since 1970. Returns null if either is
 * implausible.
 *
 * @param now the current time in milliseconds since 1970
 */
export function parseEdition(
  hash: unknown,
  deployed: unknown,
  now: number,
): Edition | null {
  const isTime = /^\d{1,10}$/.test(String(deployed));
  if (!isTime) return null;
  const seconds = Number(deployed);
  if (seconds < MIN_DEPLOY_TIME) return null;
  // The time is in whole seconds, so the milliseconds are always zero.
  const time = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
  const edition = editionSchema.safeParse({ hash, deployed: time }).data;
  if (!edition || isAhead(edition, now)) return null;
  return edition;
}

/**
 * Returns whether an edition's deployment time is in the future. Tolerates one day,
 * because clocks differ.
 */
const isAhead = ({ deployed }: Edition, now: number): boolean =>
  Date.parse(deployed) > now + DAY_MS;

/**
 * The version of the file formats. Adding a field does not require a new version,
 * because readers ignore unknown fields and use defaults for missing ones.
 */
export const FORMAT = 1;

export const formatField = {
  format: z
    .int()
    .min(1)
    .default(FORMAT)
    .describe("The version of this file's format."),
};

const NEWER_FORMAT_HINT =
  'A newer version of gamedata wrote this file. Upgrade gamedata, or choose another folder.';

const OLDER_FORMAT_HINT =
  'An older version of gamedata or another program wrote this file. Choose another folder, or read the data again from the upstream.';

const anyFormat = z.object({ format: z.number().optional() });

/**
 * Rejects a file in the format of another version, because its fields may have a
 * different meaning.
 *
 * @param record the path or URL of the file, for error messages
 * @throws GamedataError
 */
export function rejectOtherFormat(json: unknown, record: string): void {
  const { data } = anyFormat.safeParse(json);
  // The file's own schema rejects a value that is not an object.
  if (!data) return;
  if (data.format === FORMAT) return;
  const { format } = data;
  const got = format === undefined ? 'no format' : `format ${format}`;
  const isNewer = format !== undefined && format > FORMAT;
  const hint = isNewer ? NEWER_FORMAT_HINT : OLDER_FORMAT_HINT;
  const problem = `has ${got}, but this version of gamedata reads format ${FORMAT}`;
  throw new GamedataError('data', `${record}: ${problem}`, { hint });
}

export const metaSchema = z
  .strictObject({
    ...formatField,
    generator: z.string().describe('The version of gamedata that built the site.'),
    source: z
      .enum(['rest', 'csv', 'snapshot'])
      .describe('The source of the data, even if the build read a snapshot.'),
    upstream: z
      .string()
      .describe('The origin of the data, even if the build read a snapshot.'),
    captured: z.iso
      .date()
      .describe(
        'The first day on which the data was captured in its current state.',
      ),
    edition: editionSchema
      .nullable()
      .default(null)
      .describe('The first edition with this data; null if unknown.'),
    fallback: z
      .string()
      .nullable()
      .describe('The reason for reading local data; null if none was read.'),
    counts: countsSchema,
    skipped: skippedSchema
      .optional()
      .describe('The ids of skipped records; missing if there are none.'),
    warnings: addMissingKinds(
      {},
      z
        .strictObject(mapKinds(() => z.record(z.string(), z.int())))
        .describe('For each kind, the number of records with each warning.'),
    ),
    digest: z
      .string()
      .describe(
        '`sha256:` and 64 digits that change if and only if a record changes.',
      ),
    names: namesSummarySchema
      .optional()
      .describe('The names in every language; missing if there are none.'),
    base_url: z.string().describe('The prefix of every link.'),
    links: z
      .enum(linkStyles)
      .describe('Whether links point to endpoints or to files.'),
    hosts: z
      .array(z.string())
      .describe('The hosts that the site has configuration for.'),
    archive: z
      .boolean()
      .optional()
      .describe('Whether the site contains its own archive.'),
    sprites: z
      .strictObject({
        mode: z.enum(iconModes),
        upstream: z
          .string()
          .regex(PLAIN_URL, `expected ${PLAIN_URL_RULE}`)
          .nullable(),
      })
      .default(defaultIconSource)
      .describe(
        'How icons are served (link, mirror or none), and the address of their source.',
      ),
  })
  .meta({
    title: 'Description',
    description: 'The data in a site, and how the site was built.',
  });
export type Meta = z.infer<typeof metaSchema>;

export function createMeta(meta: Omit<Meta, 'format'>): Meta {
  return metaSchema.parse({ ...meta, format: FORMAT });
}

export function getLinkBase(meta: Pick<Meta, 'base_url' | 'links'>): LinkBase {
  return { baseUrl: meta.base_url, links: meta.links };
}

const SITE_PATH =
  /^(?:(?!\.{1,2}(?:\/|$))[ -.0-[\]-~\u00a0-\uffff]{1,220}(?:\/(?!$)|$)){1,16}$/;

/**
 * Returns whether a string is a safe relative path. Because an attacker may have
 * chosen the path, it must stay inside the folder, use forward slashes, contain no
 * control characters, and be valid in every file system and archive.
 */
export const isSitePath = (text: string): boolean =>
  text.length <= 512 && SITE_PATH.test(text);

/**
 * Returns whether a manifest may list a path. A manifest must not list itself or files
 * in the work folder, because moving such files would break publishing. The work folder
 * is recognized in any letter case, because some file systems are case-insensitive.
 */
export function isListable(text: string): boolean {
  return isSitePath(text) && !UNLISTABLE.test(text);
}

/**
 * Matches `MANIFEST_FILE` and `DATA_SET_FILE`, and paths in `WORK_FOLDER` and in the
 * folder of a Git repository.
 */
const UNLISTABLE =
  /^(?:manifest\.json|dataset\.json|\.gamedata(?:\/.*)?|\.git(?:\/.*)?)$/i;

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

export const manifestEntrySchema = z.strictObject({
  path: z
    .string()
    .refine(isListable, 'expected a relative path inside the site')
    .describe(
      'Relative to the base URL. Host configuration is listed but not served: paths outside `.well-known/` with a segment that starts with a dot or `_`, and any other file that a host reads as its configuration.',
    ),
  bytes: z.int().min(0).max(MAX_FILE_BYTES).describe('The size in bytes.'),
  sha256: sha256Schema.describe('The SHA-256 in hexadecimal.'),
});
export type ManifestEntry = z.infer<typeof manifestEntrySchema>;
export type Entries = ReadonlyMap<string, ManifestEntry>;

export function entriesByPath(files: readonly ManifestEntry[]): Entries {
  const entries = new Map<string, ManifestEntry>();
  for (const entry of files) entries.set(entry.path, entry);
  return entries;
}

export const manifestSchema = z
  .strictObject({
    ...formatField,
    generator: z
      .string()
      .regex(/^gamedata\/.+$/, 'expected gamedata/<version>')
      .describe('The version of gamedata that wrote the manifest.'),
    code: sha256Schema
      .optional()
      .describe('The SHA-256 of the code that generated the files.'),
    inputs: sha256Schema
      .optional()
      .describe('The SHA-256 of the data, history, options and hand-written files.'),
    files: z
      .array(manifestEntrySchema)
      .describe('Each file with its size and SHA-256.'),
  })
  .meta({
    title: 'Manifest',
    description: 'Every file of a site except the manifest, sorted by path.',
  });
export type Manifest = z.infer<typeof manifestSchema>;
export type BuildInputs = Omit<Manifest, 'format' | 'files'>;

/**
 * The schemas for reading ignore unknown keys, because another version of gamedata
 * may have written the file.
 */
export const metaReader = z.object(metaSchema.shape);
export const manifestReader = z.object({
  ...manifestSchema.shape,
  files: z.array(z.object(manifestEntrySchema.shape)),
});

/** The content of a file: either bytes, or text that is encoded as UTF-8. */
export type FileBody = string | Uint8Array;

export interface SiteFile {
  /** The path relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly body: FileBody;
}

export const encodeText = (text: string): Uint8Array =>
  new TextEncoder().encode(text);

export function encodeBody({ body }: SiteFile): Uint8Array {
  return typeof body === 'string' ? encodeText(body) : body;
}
