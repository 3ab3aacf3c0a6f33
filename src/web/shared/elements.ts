/** Creates elements from text only, so that data is never parsed as markup. */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Content = Node | string;

/** Creates an element. Attributes that are false or undefined are omitted; true is an empty value. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...content);
  return made;
}

/** An element that has to exist. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id}: got ${found?.tagName ?? 'nothing'}`);
  return found;
}

export function button(label: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, label);
  made.addEventListener('click', press);
  return made;
}
