/** Names in every language that the upstream has: the files that hold them beside the records. */

import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { createMapSchema } from './parse.ts';
import { addMissingKinds, MAX_RECORDS, NAME, NAME_RULE, nameSchema, slugSchema } from './records.ts';
import { pluralize } from './words.ts';

const LANGUAGE_RULE = 'expected a language tag in lower case';

export const languageSchema = z
  .string()
  .max(35)
  .regex(/^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/, LANGUAGE_RULE)
  // File names that Windows reserves, and that of the list of languages.
  .refine((tag) => !/^(?:con|prn|aux|nul|index)$/.test(tag), LANGUAGE_RULE)
  .describe('A BCP 47 tag in lower case.');

const localNames = (kind: Kind) =>
  z
    .record(slugSchema, nameSchema.describe('The name in that language.'))
    .describe(`Slug → name, of the ${pluralize(kind)} that have one.`);

export const namesSchema = z
  .strictObject({ language: languageSchema, ...mapKinds(localNames) })
  .meta({ title: 'Names', description: 'The names of records in one language, in order of id.' });
export type Names = Readonly<z.infer<typeof namesSchema>>;

/** For reading them beside records, whose slugs are checked already: others are refused, or do not count. */
export const namesReader = addMissingKinds(
  {},
  namesSchema.extend(mapKinds(() => createMapSchema(z.string(), z.string().regex(NAME, NAME_RULE)))),
);

const counts = mapKinds((kind) =>
  z
    .int()
    .min(0)
    .max(MAX_RECORDS)
    .describe(`How many ${pluralize(kind)} have a name in that language.`),
);

export const namesIndexSchema = z
  .strictObject({
    languages: z
      .array(
        z.strictObject({
          language: languageSchema,
          name: z.string().describe('What the language calls itself.'),
          ...counts,
          url: z.string().describe('The file with its names.'),
        }),
      )
      .describe('Each language, how many names it has, and their file.'),
  })
  .meta({ title: 'Languages', description: 'The languages in which records have names.' });

/** What `meta.json` and a snapshot say about the names. */
export const namesSummarySchema = z.object({
  digest: z.string().describe('Changes if and only if a name does: `sha256:` and 64 hexadecimal digits.'),
  languages: z
    .record(languageSchema, addMissingKinds(0, z.strictObject(counts)))
    .describe('How many names each language has.'),
});
export type NamesSummary = z.infer<typeof namesSummarySchema>;

/** What languages call themselves. `Intl` says different things on different machines. */
const ownNames: Readonly<Record<string, string>> = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  'es-419': 'Español (Latinoamérica)',
  fr: 'Français',
  it: 'Italiano',
  ja: '日本語',
  'ja-hrkt': '日本語（かな）',
  ko: '한국어',
  'zh-hans': '简体中文',
  'zh-hant': '繁體中文',
};

/** The tag itself if it is not known. */
export const getNativeName = (language: string): string => ownNames[language] ?? language;
