/** Renders HTML, both at build time and in the browser. */

import { tokenize } from './tokens.ts';

/** HTML text. The template tag does not escape it again. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | Markup | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for use in elements and quoted attributes. An array's members are
 * separated by line breaks.
 */
export function escapeValue(value: HtmlValue): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(escapeValue).join('\n');
  return String(value).replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);
}

/** A template tag that escapes its values: html`<b>${name}</b>`. */
export function html(
  text: TemplateStringsArray,
  ...values: readonly HtmlValue[]
): Markup {
  const escaped = values.map(escapeValue);
  // `String.raw` is used here only to join the text and the values.
  return new Markup(String.raw({ raw: text }, ...escaped));
}

/**
 * Matches a tag, which must not change, or a URL separator that is followed by a
 * word or a placeholder.
 */
const TAG_OR_SEPARATOR = /<[^>]*>|(?:[/?=]|&amp;)(?=[\w{])/g;

/**
 * Lets long URLs break after their separators, so that they do not break inside a
 * word.
 */
export function breakUrls(markup: string): string {
  return markup.replaceAll(TAG_OR_SEPARATOR, (match) => {
    const isTag = match.startsWith('<');
    return isTag ? match : `${match}<wbr>`;
  });
}

/** Renders a URL that can break after its separators. */
export const renderBreakable = (url: string): Markup =>
  new Markup(breakUrls(escapeValue(url)));

/**
 * Finds the target of a link for a token such as `"https://example.org/"`. Returns
 * undefined if the token is not a link.
 */
export type FindLink = (token: string) => string | undefined;

/** Highlights code, and allows line breaks in URLs and compact JSON. */
export function highlightCode(
  code: string,
  findLink: FindLink = () => undefined,
): Markup {
  let highlighted = '';
  for (const { text, type } of tokenize(code)) {
    const escaped = escapeValue(text);
    const link = type === 'string' ? findLink(text) : undefined;
    if (link !== undefined) highlighted += html`<a href="${link}">${text}</a>`.text;
    else if (type === undefined) highlighted += escaped.replaceAll(',', ',<wbr>');
    else highlighted += `<span class="${type}">${escaped}</span>`;
  }
  return new Markup(breakUrls(highlighted));
}
