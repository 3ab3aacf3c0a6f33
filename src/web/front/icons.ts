import { type Kind, kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { PLACEHOLDER_ICON, recordPath } from '../../contract/paths.ts';
import type { Records } from '../../data/data-set.ts';
import { html, type Markup, renderApiLink } from '../shared/markup.ts';

const SHOWN_ICONS = 10;

/**
 * Renders linked icons of the first records. Only icons that the site itself
 * contains are shown, because icons on other sites load slowly.
 *
 * @param sizes the size of each file in bytes, by path
 */
export function renderIcons(
  records: Records,
  meta: Pick<Meta, 'links' | 'sprites'>,
  sizes: ReadonlyMap<string, number>,
): Markup[] {
  if (meta.sprites.mode !== 'mirror') return [];
  const page = { root: '', links: meta.links };
  // If the build could not find an icon, its file is a copy of the placeholder.
  const placeholderSize = sizes.get(PLACEHOLDER_ICON);
  const shownIcons = new Set<string>();
  const links: Markup[] = [];
  for (const { kind, slug, name, icon } of listIcons(records)) {
    if (links.length === SHOWN_ICONS) break;
    const size = sizes.get(icon);
    if (size === undefined || size === placeholderSize || shownIcons.has(icon)) {
      continue;
    }
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
