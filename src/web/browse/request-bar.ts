/** The request of the page, and what can be done with it: the response as a table or as JSON, and the command for it. */

import { button, copyText, element } from '../shared/elements.ts';
import { recall, remember } from '../shared/preferences.ts';
import { asJson } from './address.ts';
import { place } from './place.ts';
import type { State } from './states.ts';

export interface RequestBarOptions extends Pick<State, 'table' | 'answer'> {
  readonly address: string;
  /** The URL that was requested. */
  readonly source: string;
  /** The element that shows the response, as a table or as JSON. */
  readonly response: HTMLElement;
  /** The element for messages. */
  readonly said: HTMLElement;
}

export function requestBar(options: RequestBarOptions): HTMLElement {
  const { address, source, response, said, table } = options;
  const { pathname, search } = new URL(source);
  const command = element('code', { class: 'curl', hidden: true }, `curl '${source.replaceAll("'", '%27')}'`);
  const copy = button('Copy as curl', () => {
    command.hidden = false;
    void copyText(command, said);
  });
  const minified = button('Minified', () => {
    const isMinified = minified.getAttribute('aria-pressed') !== 'true';
    minified.setAttribute('aria-pressed', String(isMinified));
    for (const body of response.querySelectorAll<HTMLElement>('.json, .raw'))
      body.hidden = body.matches('.json') === isMinified;
  });
  minified.setAttribute('aria-pressed', 'false');
  const views = viewButtons(options, minified);
  const json = place.links === 'file' ? source : place.root + asJson(address).slice(1);
  return element(
    'div',
    { class: 'request' },
    element('p', {}, element('code', {}, element('b', {}, 'GET'), ` ${pathname}${search}`)),
    element(
      'p',
      { class: 'actions' },
      ...(table ? [views] : []),
      minified,
      copy,
      element('a', { href: json }, 'Open JSON'),
    ),
    command,
  );
}

/** Shows the response as it was chosen last, and returns the choice. */
function viewButtons({ response, table, answer }: RequestBarOptions, minified: HTMLElement): HTMLElement {
  // A list of a hundred records is thousands of elements: only if it is asked for.
  let json: HTMLElement | undefined;
  const show = (view: 'table' | 'json'): void => {
    if (view === 'json') json ??= answer?.();
    const shown = view === 'table' ? table : json;
    response.replaceChildren(...(shown ? [shown] : []));
    minified.hidden = !shown || shown === table;
    asTable.setAttribute('aria-pressed', String(view === 'table'));
    asJson.setAttribute('aria-pressed', String(view === 'json'));
  };
  const choice = (label: string, view: 'table' | 'json'): HTMLElement =>
    button(label, () => {
      remember('view', view);
      show(view);
    });
  const asTable = choice('Table', 'table');
  const asJson = choice('JSON', 'json');
  show(table && recall('view') !== 'json' ? 'table' : 'json');
  return element('span', { class: 'views', role: 'group', 'aria-label': 'View' }, asTable, asJson);
}
