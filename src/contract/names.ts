import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { isPlainObject } from './parse.ts';
import {
  addMissingKinds,
  BEFORE_EXPRESSIONS,
  isName,
  MAX_RECORDS,
  NAME_RULE,
  nameSchema,
  slugSchema,
} from './records.ts';
import { pluralize } from './words.ts';

const LANGUAGE_RULE = 'expected a language tag in lower case';

export const languageSchema = z
  .string()
  .max(35, BEFORE_EXPRESSIONS)
  .regex(/^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/, LANGUAGE_RULE)
  // Excludes names that Windows reserves, and `index`, because `names/index.json`
  // lists the languages.
  .refine((tag) => !/^(?:con|prn|aux|nul|index)$/.test(tag), LANGUAGE_RULE)
  .describe('A BCP 47 tag in lower case.');

const localNames = (kind: Kind) =>
  z
    .record(slugSchema, nameSchema.describe("The name in the file's language."))
    .describe(`Slug → name, for each ${kind} with a name.`);

export const namesSchema = z
  .strictObject({ language: languageSchema, ...mapKinds(localNames) })
  .meta({
    title: 'Names',
    description: 'The names of records in one language, in order of id.',
  });
export type Names = Readonly<z.infer<typeof namesSchema>>;

/**
 * Validates an object that maps slugs to names, and reports the first invalid name. We
 * do not use `z.record`, because calling a schema for each name would slow down a build
 * without changes by a fifth.
 */
const namesBySlug = z
  .custom<Record<string, string>>(isPlainObject, 'expected an object')
  .superRefine((names, { addIssue }) => {
    for (const slug of Object.keys(names)) {
      const name: unknown = names[slug];
      const isValid = typeof name === 'string' && isName(name);
      if (isValid) continue;
      addIssue({ code: 'custom', message: NAME_RULE, path: [slug] });
      return;
    }
  });

/**
 * The schema for reading a names file. A kind that is missing from the file has no
 * names. Any key is accepted as a slug, because names of nonexistent records are
 * dropped later.
 */
export const namesReader = addMissingKinds(
  {},
  namesSchema.extend(mapKinds(() => namesBySlug)),
);

const counts = mapKinds((kind) =>
  z
    .int()
    .min(0)
    .max(MAX_RECORDS)
    .describe(`The number of ${pluralize(kind)} with a name.`),
);

export const namesIndexSchema = z
  .strictObject({
    languages: z
      .array(
        z.strictObject({
          language: languageSchema,
          name: z
            .string()
            .describe("The language's name in that language, such as Français."),
          ...counts,
          url: z.string().describe('The URL of the file with the names.'),
        }),
      )
      .describe(
        'Each language, with the number of names and the URL of their file.',
      ),
  })
  .meta({
    title: 'Languages',
    description: 'The languages that records have names in.',
  });

export const namesSummarySchema = z.object({
  digest: z
    .string()
    .describe('`sha256:` and 64 digits that change if and only if a name changes.'),
  languages: z
    .record(languageSchema, addMissingKinds(0, z.strictObject(counts)))
    .describe('The number of names in each language.'),
});
export type NamesSummary = z.infer<typeof namesSummarySchema>;

/**
 * The name of each language in that language. We do not use `Intl` because its names
 * differ between machines.
 */
const nativeNames: Readonly<Record<string, string>> = {
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

export const getNativeName = (language: string): string =>
  nativeNames[language] ?? language;
