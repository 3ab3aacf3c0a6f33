/** The same request in several languages, and the control that chooses between them without a script. */

import { html, type Markup, nothing } from '../shared/markup.ts';

/** @param variable a name for the response, and its type if the language has them */
const javaScript = (url: string, variable: string): string => `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`got \${response.status}\`);
const ${variable} = await response.json();`;

/** Language → the code of a request. The type is that of the response, as in `types.d.ts`. */
const languages: Readonly<Record<string, (url: string, type: string) => string>> = {
  curl: (url) => `curl '${url}'`,
  JavaScript: (url, type) => javaScript(url, variableOf(type)),
  Python: (url, type) => `import json
from urllib.request import urlopen

with urlopen("${url}") as response:
    ${variableOf(type)} = json.load(response)`,
  TypeScript: (url, type) => `import type { ${type} } from './types.d.ts';

${javaScript(url, `${variableOf(type)}: ${type}`)}`,
};

/** `MovePage` → `page`, `Move` → `move` */
const variableOf = (type: string): string => (type.endsWith('Page') ? 'page' : type.toLowerCase());

/** @param id unique on the page */
export function codeSamples(id: string, url: string, type: string): Markup {
  const names = Object.keys(languages);
  return html`<fieldset class="tabs">
<legend>Code</legend>
${names.map(
  (
    name,
    at,
  ) => html`<input type="radio" name="${id}-code" id="${id}-${name}" value="${name}"${at === 0 ? html` checked` : nothing}>
<label for="${id}-${name}">${name}</label>`,
)}
${Object.values(languages).map((code) => html`<pre><code>${code(url, type)}</code></pre>`)}
</fieldset>`;
}
