/** Adapts slugs of the upstream that are not safe: PokéAPI has had `jalapeño` and `steel-bottle-(r)`. */

import { slugSchema } from '../contract/records.ts';

/** What nearly all slugs are, and neither the schema nor `slugify` changes. */
const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Characters that no name of a record has: they lead to other folders, or change how a terminal shows the rest. */
const SUSPICIOUS = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * A safe slug as it is; any other one by Django's `slugify`, which gives the slugs that PokéAPI chose later itself, so that URLs
 * stay right. What cannot be adapted is returned as it is, for the schema to reject.
 *
 * @see https://docs.djangoproject.com/en/stable/ref/utils/#django.utils.text.slugify
 */
export function adaptSlug(slug: string): string {
  if (PLAIN.test(slug) || slugSchema.safeParse(slug).success || SUSPICIOUS.test(slug)) return slug;
  return slugify(slug) || slug;
}

const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
