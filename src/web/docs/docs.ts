import { adaptLinks, setContent } from '../shared/dom.ts';
import { highlightCode } from '../shared/html.ts';

void adaptLinks();
for (const code of document.querySelectorAll('pre code')) {
  setContent(code, highlightCode(code.textContent ?? ''));
}
