/** The script of the docs: sends requests that a visitor fills in, and keeps the language of code samples. */

import { copyText, element, recall, remember, root } from '../shared/elements.ts';
import { fitLinks } from '../shared/links.ts';
import { headerLines, type Outcome, send, statusLine } from '../shared/request.ts';

void fitLinks();

/** Every sample is shown in the language chosen for any of them. */
function choose(language: string): void {
  for (const option of document.querySelectorAll<HTMLInputElement>('.tabs input'))
    if (option.value === language) option.checked = true;
}

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest('.tabs')) return;
  const top = target.getBoundingClientRect().top;
  choose(target.value);
  remember('language', target.value);
  // Samples above may have become longer or shorter.
  scrollBy(0, target.getBoundingClientRect().top - top);
});
const language = recall('language');
if (language !== null) choose(language);

document.addEventListener('click', ({ target }) => {
  const tabs = target instanceof HTMLButtonElement && target.closest('.tabs');
  const shown = tabs && [...tabs.querySelectorAll('pre')].find((sample) => sample.offsetParent !== null);
  if (shown) void copyText(shown);
});

/** The address that a form stands for: parameters of the path are in it, empty ones of the query are omitted. */
function addressOf(form: HTMLFormElement): string {
  let path = form.dataset.path ?? '';
  const query = new URLSearchParams();
  for (const { name, value, dataset } of form.querySelectorAll('input')) {
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value.trim()));
    else if (value !== '') query.set(name, value);
  }
  return path + (String(query) && `?${query}`);
}

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const address = addressOf(form);
  const outcome = await send(root + address.slice(1));
  const box = element('div', { class: 'answer' }, ...responseOf(address, outcome));
  form.nextElementSibling?.replaceChildren(box);
});

function responseOf(address: string, outcome: Outcome): HTMLElement[] {
  const request = element('b', {}, `GET ${address}`);
  if (outcome.type === 'failure')
    return [element('pre', { class: 'head' }, request, `\nNo response: ${outcome.reason}`)];
  const { response } = outcome;
  const lines = headerLines(response).map(([name, value]) => `\n${name}: ${value}`);
  const head = element('pre', { class: 'head' }, request, `\n${statusLine(response)}`, ...lines);
  if (outcome.type === 'foreign') return [head];
  return [head, element('pre', { class: 'json' }, JSON.stringify(outcome.json, null, 2))];
}
