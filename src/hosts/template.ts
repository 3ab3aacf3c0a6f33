/** Name → a text, or the items of a list. */
export type TemplateValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * Replaces each `{{name}}` with its value. A line with a list is repeated for each item. The lines
 * between `#if name` and `#end` are kept only if the value is not empty.
 *
 * @throws Error if a value is missing
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  const lines = template.replaceAll(/^#if (\w+)\n(.*?)^#end\n/gms, (_, name: string, inner) =>
    lookUp(values, name).length > 0 ? inner : '',
  );
  return lines.replaceAll(/^.*\{\{.*\n/gm, (line) => fillLine(line, values));
}

function fillLine(line: string, values: TemplateValues): string {
  const named = Array.from(line.matchAll(PLACEHOLDER), ([, name = '']) => lookUp(values, name));
  const list = named.find((value) => typeof value !== 'string');
  const copies: string[] = [];
  for (const item of list ?? ['']) {
    const copy = line.replaceAll(PLACEHOLDER, (_, name: string) => {
      const value = lookUp(values, name);
      return typeof value === 'string' ? value : item;
    });
    copies.push(copy);
  }
  return copies.join('');
}

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

function lookUp(values: TemplateValues, name: string): string | readonly string[] {
  const value = values[name];
  if (value === undefined) throw new Error(`template: got no value for ${name}`);
  return value;
}
