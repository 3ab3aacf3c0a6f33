import { showStoredDate } from '../offline/stored-date.ts';
import { adaptLinks, setContent } from '../shared/dom.ts';
import { highlightCode } from '../shared/html.ts';

void adaptLinks();
void showStoredDate();
for (const code of document.querySelectorAll('pre code')) {
  setContent(code, highlightCode(code.textContent ?? ''));
}
