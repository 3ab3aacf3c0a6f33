/** The script of the docs: colors code, and adapts links to the host. */

import { adaptLinks } from '../shared/dom.ts';
import { highlight } from '../shared/highlight.ts';

void adaptLinks();
for (const code of document.querySelectorAll('pre code'))
  code.replaceChildren(...highlight(code.textContent));
