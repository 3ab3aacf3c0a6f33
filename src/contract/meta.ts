/** The site's own two files about itself: `meta.json` (what data this is) and `manifest.json` (what files there are). */

import * as z from 'zod';
import { linkStyles } from './addresses.ts';
import { countsSchema } from './data-set.ts';
import { mapKinds } from './kinds.ts';
import { defaultSprites, spriteModes } from './pictures.ts';

/** `meta.json`. Nothing in it depends on when or where the site was built. */
export const metaSchema = z
  .strictObject({
    generator: z.string(),
    source: z.enum(['rest', 'csv', 'snapshot']).describe('What the build read.'),
    upstream: z.string().describe('The upstream that the data is of, also where it came out of a snapshot.'),
    captured: z.iso.date().describe('The day on which the data was captured as it is now.'),
    fallback: z
      .string()
      .nullable()
      .describe(
        'Why the build read local data although it was asked for the upstream; null where it did not.',
      ),
    counts: countsSchema,
    warnings: z
      .strictObject(mapKinds(() => z.record(z.string(), z.int())))
      .describe('How many records of each kind have a warning of each code.'),
    digest: z
      .string()
      .describe('Changes when, and only when, a record does: `sha256:` and 64 hexadecimal digits.'),
    base_url: z.string().describe('What every link begins with.'),
    links: z.enum(linkStyles).describe('Whether links lead to endpoints or to the files themselves.'),
    hosts: z.array(z.string()).describe('Whose configuration the site has.'),
    downloads: z.boolean().default(true).describe('Whether the site has bulk files.'),
    sprites: z
      .strictObject({ mode: z.enum(spriteModes), upstream: z.string().nullable() })
      .default(defaultSprites)
      .describe('What the site does about pictures: link, mirror or none; and where they are from.'),
  })
  .meta({ title: 'Description', description: 'What data a site has, and how the site was built.' });
export type Meta = z.infer<typeof metaSchema>;

export { META_FILE } from './addresses.ts';
export const MANIFEST_FILE = 'manifest.json';

/** A path of a site: relative to its folder, with forward slashes, and without a way out of it. */
export const SITE_PATH = /^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\0]+$/;

export const manifestEntrySchema = z.strictObject({
  path: z
    .string()
    .regex(SITE_PATH, 'expected a relative path inside the site')
    .describe('Relative to the base URL.'),
  bytes: z.int().min(0).describe('The size.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('In hexadecimal.'),
});
export type ManifestEntry = z.infer<typeof manifestEntrySchema>;

/** `manifest.json`: every file of the site but itself, sorted by path. */
export const manifestSchema = z
  .strictObject({
    generator: z.string().startsWith('gamedata/'),
    files: z.array(manifestEntrySchema),
  })
  .meta({ title: 'Manifest', description: 'Every file of a site but this one, sorted by path.' });
export type Manifest = z.infer<typeof manifestSchema>;
