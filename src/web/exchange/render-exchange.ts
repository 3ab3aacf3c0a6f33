import { readTextField } from '../browse/record.ts';
import { type GlyphSubject, renderGlyph } from '../glyph/render-glyph.ts';
import {
  type FindLink,
  type HtmlValue,
  highlightCode,
  html,
  type Markup,
  renderBreakable,
} from '../shared/html.ts';
import { type CodeSample, createCodeSamples } from './code-samples.ts';
import { formatJson } from './format-json.ts';

/** The request for a record and its response, as the pages show them. */
export interface Exchange {
  readonly subject: GlyphSubject;
  readonly name: string;
  /** The URL without a query. */
  readonly url: string;
  readonly status: number;
  /** The size of the response's body. */
  readonly bytes: number;
  /** The time until the response was complete. Undefined in an example. */
  readonly milliseconds?: number;
  readonly json: unknown;
  /** The response's headers, one per line. Undefined if the page does not show them. */
  readonly headers?: string;
  /**
   * The URL at which browsers show the JSON. Undefined if the page does not link to it.
   */
  readonly jsonUrl?: string;
}

/**
 * Renders a request and its response, with tabs for the code that sends the request.
 *
 * @param selectedTab the id of the code sample that is visible
 */
export function renderExchange(
  exchange: Exchange,
  findLink?: FindLink,
  selectedTab = 'curl',
): Markup {
  const { subject, name, url, json } = exchange;
  const samples = createCodeSamples(url, subject.kind);
  return html`${renderRequest(exchange)}
<div class="subject">
<span class="picture" data-icon="${readTextField(json, 'icon') ?? ''}">${renderGlyph(subject)}</span>
<p class="subject-name">${name}</p>
<p class="subject-status">${renderStatus(exchange)}</p>
</div>
<pre class="json" tabindex="0" role="region" aria-label="JSON"><code id="answer">${highlightCode(formatJson(json), findLink)}</code></pre>
${renderHeaders(exchange)}
<div class="samples scripted">
<div class="tabs" role="tablist" aria-label="Code">
${samples.map((sample) => renderTab(sample, selectedTab))}
</div>
<p class="actions">${renderJsonLink(exchange)}<button type="button" id="copy" class="copy">Copy</button></p>
</div>
${samples.map((sample) => renderPanel(sample, selectedTab))}`;
}

/** Renders the request's path, with the slug underlined. */
function renderRequest({ url, subject }: Exchange): Markup {
  const path = new URL(url).pathname;
  const end = path.lastIndexOf(subject.slug);
  const before = path.slice(0, end);
  const after = path.slice(end + subject.slug.length);
  return html`<p class="request-line"><b>GET</b> <code>${renderBreakable(before)}<wbr><em>${subject.slug}</em>${renderBreakable(after)}</code></p>`;
}

function renderStatus({ status, bytes, milliseconds }: Exchange): Markup {
  const duration = milliseconds === undefined ? '' : ` · ${milliseconds} ms`;
  return html`<b>${status}</b> ${bytes} bytes${duration}`;
}

function renderHeaders({ headers }: Exchange): Markup | '' {
  if (headers === undefined) return '';
  return html`<details class="headers"><summary>Response headers</summary><pre><code>${headers}</code></pre></details>`;
}

function renderJsonLink({ jsonUrl }: Exchange): Markup | '' {
  return jsonUrl === undefined ? '' : html`<a href="${jsonUrl}">Open JSON</a>`;
}

function renderTab({ id, label }: CodeSample, selectedTab: string): Markup {
  // The arrow keys move between tabs, so only the selected tab can be reached with
  // the Tab key.
  const state =
    id === selectedTab
      ? html`aria-selected="true"`
      : html`aria-selected="false" tabindex="-1"`;
  return html`<button type="button" role="tab" id="tab-${id}" aria-controls="${id}" ${state}>${label}</button>`;
}

function renderPanel({ id, code }: CodeSample, selectedTab: string): Markup {
  const state: HtmlValue = id === selectedTab ? '' : html` hidden`;
  return html`<pre class="code" role="tabpanel" id="${id}" aria-labelledby="tab-${id}" tabindex="0"${state}><code>${highlightCode(code)}</code></pre>`;
}
