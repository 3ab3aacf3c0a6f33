/** The same request in several languages, and the control that chooses between them without a script. */

import { html, type Markup } from '../shared/markup.ts';

interface SampleRequest {
  readonly url: string;
  /** The type of the response, as in `types.d.ts`. */
  readonly type: string;
  /** A name for the response, in lower case. */
  readonly variable: string;
}

/** Language → the code of a request. */
const languages: Readonly<Record<string, (request: SampleRequest) => string>> = {
  curl: ({ url }) => `curl '${url}'`,
  JavaScript: ({ url, variable }) => `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`got \${response.status}\`);
const ${variable} = await response.json();`,
  Python: ({ url, variable }) => `import json
from urllib.request import urlopen

with urlopen("${url}") as response:
    ${variable} = json.load(response)`,
  TypeScript: ({ url, type, variable }) => `import type { ${type} } from './types.d.ts';

const response = await fetch('${url}');
if (!response.ok) throw new Error(\`got \${response.status}\`);
const ${variable}: ${type} = await response.json();`,
};

/** @param id unique on the page */
export function codeSamples(id: string, request: SampleRequest): Markup {
  const names = Object.keys(languages);
  return html`<fieldset class="tabs">
<legend>Code</legend>
${names.map(
  (
    name,
    at,
  ) => html`<input type="radio" name="${id}-code" id="${id}-${name}" value="${name}"${at === 0 ? html` checked` : html``}>
<label for="${id}-${name}">${name}</label>`,
)}
${Object.values(languages).map((code) => html`<pre><code>${code(request)}</code></pre>`)}
</fieldset>`;
}
