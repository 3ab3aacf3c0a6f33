import { type Kind, kindNames } from '../../contract/kinds.ts';
import { type LinkBase, recordUrl } from '../../contract/paths.ts';
import { addUrl, type Records } from '../../data/data-set.ts';
import {
  type HtmlValue,
  highlightCode,
  html,
  type Markup,
} from '../shared/markup.ts';

interface Sample {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/**
 * Renders a request for the first record in several programming languages, with one
 * tab for each, and the server's response. Without scripts, only the first language
 * is visible, but the docs show all of them.
 */
export function renderFirstRequest(linkBase: LinkBase, records: Records): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There are no records.</p>`;
  const samples = createSamples(recordUrl(linkBase, kind, record.slug), kind);
  const response = JSON.stringify(addUrl(linkBase, kind, record));
  return html`<div class="sample">
<div class="sample-head scripted">
<div class="tabs" role="tablist" aria-labelledby="try">
${samples.map(renderTab)}
</div>
<button type="button" id="copy">Copy</button>
</div>
${samples.map(renderPanel)}
<p class="sample-label">Response</p>
<pre><code id="answer">${highlightCode(response)}</code></pre>
</div>`;
}

/** Creates the code that requests a URL, in each programming language. */
function createSamples(url: string, kind: Kind): readonly Sample[] {
  const javascript = [
    `const response = await fetch('${url}');`,
    `const ${kind} = await response.json();`,
  ];
  const python = [
    'import json',
    'from urllib.request import urlopen',
    '',
    `with urlopen("${url}") as response:`,
    `    ${kind} = json.load(response)`,
  ];
  return [
    { id: 'curl', label: 'curl', code: `curl "${url}"` },
    { id: 'javascript', label: 'JavaScript', code: javascript.join('\n') },
    { id: 'python', label: 'Python', code: python.join('\n') },
  ];
}

function renderTab({ id, label }: Sample, index: number): Markup {
  const isSelected = index === 0;
  // The arrow keys move between tabs, so only the selected tab can be reached with
  // the Tab key.
  const state = isSelected
    ? html`aria-selected="true"`
    : html`aria-selected="false" tabindex="-1"`;
  return html`<button type="button" role="tab" id="tab-${id}" aria-controls="${id}" ${state}>${label}</button>`;
}

function renderPanel({ id, code }: Sample, index: number): Markup {
  const state: HtmlValue = index === 0 ? '' : html` hidden`;
  return html`<pre role="tabpanel" id="${id}" aria-labelledby="tab-${id}" tabindex="0"${state}><code>${highlightCode(code)}</code></pre>`;
}
