import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Names } from '../contract/names.ts';
import { findName } from './find-name.ts';
import { type AddressedRecords, mapSlugs } from './old-slugs.ts';

/** Selects the names of the given records in one language, in the order of the records. */
export function selectNames(names: Names, records: AddressedRecords): Names {
  const selectKind = (kind: Kind): Record<string, string> => {
    const selected: Record<string, string> = {};
    for (const { slug } of records[kind]) {
      const name = findName(names, kind, slug);
      if (name !== undefined) selected[slug] = name;
    }
    return selected;
  };
  return { language: names.language, ...mapKinds(selectKind) };
}

export interface NameChanges {
  readonly language: string;
  readonly before: number;
  readonly lost: number;
  readonly changed: number;
}

type Named = Readonly<{ records: AddressedRecords; names: readonly Names[] }>;

export function compareNames(from: Named, to: Named): NameChanges[] {
  const pairs = kindNames.flatMap((kind) => {
    const slugs = mapSlugs(to.records[kind]);
    return from.records[kind].flatMap(({ id, slug: oldSlug }) => {
      const slug = slugs.get(id);
      return slug === undefined ? [] : [{ kind, oldSlug, slug }];
    });
  });
  const languages = new Set([...from.names, ...to.names].map(({ language }) => language));
  return [...languages].sort().flatMap((language) => {
    const [old, own] = [from, to].map(({ names }) =>
      names.find((one) => one.language === language),
    );
    let [before, lost, changed] = [0, 0, 0];
    for (const { kind, oldSlug, slug } of pairs) {
      const [oldName, name] = [findName(old, kind, oldSlug), findName(own, kind, slug)];
      if (oldName !== undefined) before++;
      if (oldName !== undefined && name === undefined) lost++;
      if (oldName !== name) changed++;
    }
    return changed > 0 ? [{ language, before, lost, changed }] : [];
  });
}
