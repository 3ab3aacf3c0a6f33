/** The front page's script: search, the copy button, and links that suit the host. */

import { createSearchBox } from '../search/box.ts';
import type { Filter } from '../search/matcher.ts';
import { fitLinks } from '../shared/api-links.ts';
import { copyText } from '../shared/clipboard.ts';
import { find } from '../shared/elements.ts';

const root = new URL('.', import.meta.url).href;
const { hrefTo } = fitLinks(root);

/** Keeps the search in the page's URL, so that the back button restores it. */
function keepInUrl({ text, kind, generation }: Filter): void {
  const kept = Object.entries({ q: text, kind, generation }).filter(([, value]) => value !== '');
  const search = new URLSearchParams(kept).toString();
  history.replaceState(null, '', location.pathname + (search && `?${search}`) + location.hash);
}

const box = createSearchBox({
  root,
  linkTo: (path) => ({ href: hrefTo(path), 'data-api': path }),
  onSearch: keepInUrl,
});
const asked = new URLSearchParams(location.search);
if (location.search !== '')
  box.set({
    text: asked.get('q') ?? '',
    kind: asked.get('kind') ?? '',
    generation: asked.get('generation') ?? '',
  });

const command = document.getElementById('command');
if (command) {
  const copied = find('copied', HTMLParagraphElement);
  find('copy', HTMLButtonElement).addEventListener(
    'click',
    () => void copyText(command.textContent, command, copied),
  );
}
