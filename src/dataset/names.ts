/** The names of a data set in every language: which of them belong to its records, and what has become of them. */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Names } from '../contract/names.ts';

/** Undefined if there is none. */
export const findName = (names: Names | undefined, kind: Kind, slug: string): string | undefined =>
  names && Object.hasOwn(names[kind], slug) ? names[kind][slug] : undefined;

/** The names of these records only, in their order. */
export const selectNames = (
  names: readonly Names[],
  records: Readonly<Record<Kind, readonly { readonly slug: string }[]>>,
): Names[] =>
  names.map((own) => {
    const select = (kind: Kind) => {
      const kept: Record<string, string> = {};
      for (const { slug } of records[kind]) {
        const name = findName(own, kind, slug);
        if (name !== undefined) kept[slug] = name;
      }
      return kept;
    };
    return { ...own, ...mapKinds(select) };
  });

/** What has become of the names that a language had. */
export interface NameChanges {
  readonly language: string;
  /** How many there were, how many of these are gone, and how many are not what they were. */
  readonly before: number;
  readonly lost: number;
  readonly changed: number;
}

type Named = Readonly<{
  records: Readonly<Record<Kind, readonly { readonly id: number; readonly slug: string }[]>>;
  names: readonly Names[];
}>;

/** Compares the names of the records that both data sets have: others come and go with their records. */
export function compareNames(from: Named, to: Named): NameChanges[] {
  const pairs = kindNames.flatMap((kind) => {
    const slugs = new Map(to.records[kind].map(({ id, slug }) => [id, slug]));
    return from.records[kind].map(({ id, slug }) => ({ kind, was: slug, slug: slugs.get(id) }));
  });
  const languages = new Set([...from.names, ...to.names].map(({ language }) => language));
  return [...languages].sort().flatMap((language) => {
    const [old, own] = [from, to].map(({ names }) => names.find((one) => one.language === language));
    let [before, lost, changed] = [0, 0, 0];
    for (const { kind, was, slug } of pairs) {
      if (slug === undefined) continue;
      const [name, now] = [findName(old, kind, was), findName(own, kind, slug)];
      if (name !== undefined) before++;
      if (name !== undefined && now === undefined) lost++;
      if (name !== now) changed++;
    }
    return changed > 0 ? [{ language, before, lost, changed }] : [];
  });
}
