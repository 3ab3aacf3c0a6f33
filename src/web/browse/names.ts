/** The names of a record in every language, loaded when somebody asks for them. */

import { kindNames } from '../../contract/kinds.ts';
import { nameIn } from '../../dataset/names.ts';
import { inLanguage, languageField, loadNames } from '../search/names.ts';
import { element } from '../shared/elements.ts';
import { partsOf } from './address.ts';

/** Empty if the site has no names, or the address is that of no record. */
export function namesOfRecord(address: string): HTMLElement[] {
  const [first, slug] = partsOf(address);
  const kind = kindNames.find((name) => name === first);
  const languages = Array.from(languageField()?.options ?? [], ({ value, text }) => ({ value, text }));
  if (languages.length === 0 || kind === undefined || slug === undefined) return [];
  const list = element('div', { role: 'status' });
  const box = element('details', {}, element('summary', {}, 'Names in every language'), list);
  const row = async ({ value, text }: (typeof languages)[number]): Promise<HTMLElement[]> => {
    const language = value || 'en';
    const name = nameIn(await loadNames(language), kind, slug);
    const head = element('th', { scope: 'row', ...inLanguage(language) }, text);
    return name === undefined ? [] : [element('tr', {}, head, element('td', inLanguage(language), name))];
  };
  box.addEventListener('toggle', async () => {
    if (!box.open || list.querySelector('table')) return;
    const rows = await Promise.all(languages.map(row)).catch(() => undefined);
    const failed = 'The names could not be loaded. Close and open this to try again.';
    list.replaceChildren(rows ? element('table', {}, element('tbody', {}, ...rows.flat())) : failed);
  });
  return [box];
}
