/** The request of the page, and what can be done with it: the response as a table or as JSON, and the command for it. */

import { copyText } from '../shared/clipboard.ts';
import { button, element } from '../shared/elements.ts';
import { recall, remember } from '../shared/preferences.ts';
import { asJson, type Place } from './address.ts';
import type { State } from './states.ts';

export interface RequestBarOptions extends Pick<State, 'table' | 'answer'> {
  readonly address: string;
  /** The URL that was requested. */
  readonly source: string;
  readonly place: Place;
  /** The element that shows the response, as a table or as JSON. */
  readonly response: HTMLElement;
  /** The element for messages. */
  readonly said: HTMLElement;
}

export function requestBar(options: RequestBarOptions): HTMLElement {
  const { address, source, place, said, table } = options;
  const { pathname, search } = new URL(source);
  const command = element('code', { class: 'curl', hidden: true }, `curl '${source.replaceAll("'", '%27')}'`);
  const copy = button('Copy as curl', () => {
    command.hidden = false;
    void copyText(command.textContent, command, said);
  });
  const minified = minifiedButton(options.response);
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
  let json: HTMLElement | undefined;
  const show = (view: 'table' | 'json'): void => {
    if (view === 'json') json ??= answer?.();
    const shown = view === 'table' ? table : json;
    response.replaceChildren(...(shown ? [shown] : []));
    minified.hidden = !response.querySelector('.json');
    asTable.setAttribute('aria-pressed', String(view === 'table'));
    asJson.setAttribute('aria-pressed', String(view === 'json'));
  };
  const choose = (view: 'table' | 'json') => (): void => {
    remember('view', view);
    show(view);
  };
  const asTable = button('Table', choose('table'));
  const asJson = button('JSON', choose('json'));
  show(table && recall('view') !== 'json' ? 'table' : 'json');
  return element('span', { class: 'views', role: 'group', 'aria-label': 'View' }, asTable, asJson);
}

/** Switches between the body as it was sent, and formatted. */
function minifiedButton(response: HTMLElement): HTMLElement {
  const made = button('Minified', () => {
    const isMinified = made.getAttribute('aria-pressed') !== 'true';
    made.setAttribute('aria-pressed', String(isMinified));
    const body = response.querySelector<HTMLElement>('pre.json');
    if (!body) return;
    if (isMinified) body.after(element('pre', { class: 'raw' }, body.dataset.raw ?? ''));
    else body.nextElementSibling?.remove();
    body.hidden = isMinified;
  });
  made.setAttribute('aria-pressed', 'false');
  return made;
}
