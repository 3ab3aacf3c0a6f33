import { type Kind, kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { PLACEHOLDER_ICON, recordPath } from '../../contract/paths.ts';
import type { Records } from '../../dataset/data-set.ts';
import { html, type Markup, renderApiLink } from '../shared/markup.ts';

const SHOWN_ICONS = 10;

/**
 * Links to the first records whose icons this site stores, because icons of other sites load
 * slowly.
 *
 * @param sizes path → bytes
 */
export function renderIcons(
  records: Records,
  meta: Pick<Meta, 'links' | 'sprites'>,
  sizes: ReadonlyMap<string, number>,
): Markup[] {
  if (meta.sprites.mode !== 'mirror') return [];
  const page = { root: '', links: meta.links };
  // An icon that the build could not find is a copy of the placeholder.
  const placeholderSize = sizes.get(PLACEHOLDER_ICON);
  const shownIcons = new Set<string>();
  const links: Markup[] = [];
  for (const { kind, slug, name, icon } of listIcons(records)) {
    if (links.length === SHOWN_ICONS) break;
    const size = sizes.get(icon);
    if (size === undefined || size === placeholderSize || shownIcons.has(icon)) continue;
    shownIcons.add(icon);
    const image = html`<img src="${icon}" alt="${name}" title="${name}" width="40" height="40">`;
    const link = renderApiLink(page, recordPath(kind, slug), image);
    links.push(html`<li>${link}</li>`);
  }
  return links;
}

interface RecordWithIcon {
  readonly kind: Kind;
  readonly slug: string;
  readonly name: string;
  readonly icon: string;
}

function* listIcons(records: Records): Generator<RecordWithIcon> {
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      if ('icon' in record) yield { ...record, kind };
    }
  }
}
