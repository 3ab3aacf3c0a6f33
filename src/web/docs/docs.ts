/**
 * The script of the docs: sends requests that a visitor fills in, keeps the language of code samples, colors them, and marks the
 * current section in the contents.
 */

import { colored } from '../shared/highlight.ts';
import {
  copyText,
  element,
  find,
  fitLinks,
  headerLines,
  preference,
  root,
  send,
  statusLine,
} from '../shared/script.ts';

void fitLinks();

for (const code of document.querySelectorAll('.code pre')) code.replaceChildren(...colored(code.textContent));

const contents = find('contents', HTMLElement);
const links = [...contents.querySelectorAll('a')];
const places = links.map(({ hash }) => document.getElementById(hash.slice(1)));
let current: HTMLAnchorElement | undefined;

/** The current section is the last one whose head is in the upper third of the window, or above. */
function markCurrent(): void {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1;
  const limit = isAtEnd ? innerHeight : innerHeight / 3;
  const at = places.findLastIndex((place) => place && place.getBoundingClientRect().top < limit);
  const next = links[Math.max(0, at)];
  if (next === current) return;
  current?.removeAttribute('aria-current');
  current = next;
  if (!current) return;
  current.setAttribute('aria-current', 'true');
  contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
}

document.addEventListener('scroll', markCurrent, { passive: true });
markCurrent();

/** Every sample is shown in the language chosen for any of them. */
function choose(language: string): void {
  for (const option of document.querySelectorAll<HTMLInputElement>('.tabs input'))
    if (option.value === language) option.checked = true;
}

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest('.tabs')) return;
  const top = target.getBoundingClientRect().top;
  choose(target.value);
  preference('language', target.value);
  // Samples above may have become longer or shorter.
  scrollBy(0, target.getBoundingClientRect().top - top);
});
const language = preference('language');
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
  for (const { name, value } of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]')) {
    const place = `{${name}}`;
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(value.trim()));
    else if (value !== '') query.set(name, value);
  }
  return path + (String(query) && `?${query}`);
}

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const address = addressOf(form);
  const { response, json, reason } = await send(root + address.slice(1));
  const lines = response
    ? [statusLine(response), ...headerLines(response).map((header) => header.join(': '))]
    : [`No response: ${reason}`];
  const request = element('b', {}, `GET ${address}`);
  const head = element('pre', { class: 'head' }, request, ...lines.map((line) => `\n${line}`));
  const body =
    json === undefined ? '' : element('pre', { class: 'json' }, ...colored(JSON.stringify(json, null, 2)));
  form.nextElementSibling?.replaceChildren(element('div', { class: 'answer' }, head, body));
});
