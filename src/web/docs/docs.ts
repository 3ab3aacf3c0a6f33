import { adaptLinks, highlight } from '../shared/dom.ts';

void adaptLinks();
for (const code of document.querySelectorAll('pre code')) {
  code.replaceChildren(...highlight(code.textContent));
}
