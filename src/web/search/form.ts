/** The markup of the search box, on the front page and above lists. */

import { kindNames } from '../../contract/kinds.ts';
import { pluralTitle } from '../../contract/words.ts';
import { html, type Markup } from '../shared/markup.ts';

/** @param generations in ascending order; null stands for records without one */
export const searchForm = (generations: Iterable<number | null>): Markup => html`<search>
<form id="search-form" class="scripted">
<div class="field wide">
<label for="query">Name or slug</label>
<input id="query" name="q" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="keys" aria-controls="results">
</div>
<div class="field" id="kind-field">
<label for="kind">Kind</label>
<select id="kind" name="kind">
<option value="">Any</option>
${kindNames.map((kind) => html`<option value="${kind}">${pluralTitle(kind)}</option>`)}
</select>
</div>
<div class="field">
<label for="generation">Generation</label>
<select id="generation" name="generation" aria-describedby="keys">
<option value="">Any</option>
${[...generations].map(
  (generation) => html`<option value="${generation ?? 'none'}">${generation ?? 'unknown'}</option>`,
)}
</select>
</div>
</form>
</search>
<p id="keys" class="quiet scripted"><label class="option"><input id="shortcut" type="checkbox" checked> <kbd>/</kbd> to
search</label>, <kbd>↑</kbd> <kbd>↓</kbd> to select, <kbd>Enter</kbd> to open. The generation of an item is the first in which it
has an index.</p>
<p id="found" role="status" class="quiet"></p>
<ol id="results" class="results"></ol>
<button type="button" id="more" hidden>Show more</button>`;
