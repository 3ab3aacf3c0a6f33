/** The site's own two files about itself: `meta.json` (what data this is) and `manifest.json` (what files there are). */

import * as z from 'zod';
import { linkStyles } from './addresses.ts';
import { countsSchema } from './data-set.ts';
import { kindNames } from './kinds.ts';

/** `meta.json`. Nothing in it depends on when or where the site was built. */
export const metaSchema = z.strictObject({
  generator: z.string(),
  /** What the build read. `captured` and `upstream` are the data's own, also where it came out of a snapshot. */
  source: z.enum(['rest', 'csv', 'snapshot']),
  upstream: z.string(),
  captured: z.iso.date(),
  /** Says why the build read local data although it was asked for the upstream; null where it did not. */
  fallback: z.string().nullable(),
  counts: countsSchema,
  /** How many records of each kind have a warning of each code. */
  warnings: z.record(z.enum(kindNames), z.record(z.string(), z.int())),
  /** Changes when, and only when, a record does: `sha256:` and 64 hexadecimal digits. */
  digest: z.string(),
  base_url: z.string(),
  links: z.enum(linkStyles),
  hosts: z.array(z.string()),
});
export type Meta = z.infer<typeof metaSchema>;

export const META_FILE = 'meta.json';
export const MANIFEST_FILE = 'manifest.json';

/** A path of a site: relative to its folder, with forward slashes, and without a way out of it. */
export const SITE_PATH = /^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\0]+$/;

/** `bytes` is the size; `sha256` is in hexadecimal. */
export const manifestEntrySchema = z.strictObject({
  path: z.string().regex(SITE_PATH, 'expected a relative path inside the site'),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ManifestEntry = z.infer<typeof manifestEntrySchema>;

/** `manifest.json`: every file of the site but itself, sorted by path. */
export const manifestSchema = z.strictObject({
  generator: z.string().startsWith('gamedata/'),
  files: z.array(manifestEntrySchema),
});
export type Manifest = z.infer<typeof manifestSchema>;
