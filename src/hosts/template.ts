/** The value of each placeholder: a string, or a list with one item per line. */
export type TemplateValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * Fills a template. Each `{{name}}` is replaced with its value. If the value is a
 * list, the line is repeated for each item. The lines between `#if name` and `#end`
 * are kept only if the value is not empty.
 *
 * @throws Error if a value is missing
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  const withoutBlocks = template.replaceAll(
    BLOCK,
    (_, name: string, lines: string) => {
      const isEmpty = lookUp(values, name).length === 0;
      return isEmpty ? '' : lines;
    },
  );
  return withoutBlocks.replaceAll(LINE_TO_FILL, (line) => fillLine(line, values));
}

/** Matches the lines between `#if name` and `#end`. */
const BLOCK = /^#if (\w+)\n(.*?)^#end\n/gms;
const LINE_TO_FILL = /^.*\{\{.*\n/gm;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/**
 * Fills in one line of a template. If one of its values is a list, the line is
 * repeated with each item in place of the list.
 */
function fillLine(line: string, values: TemplateValues): string {
  for (const [, name = ''] of line.matchAll(PLACEHOLDER)) {
    const items = lookUp(values, name);
    if (typeof items === 'string') continue;
    // In each copy of the line, the placeholder has one string as its value. The copy
    // is filled like any other line, because it may contain another list.
    const copies = items.map((item) => fillLine(line, { ...values, [name]: item }));
    return copies.join('');
  }
  return line.replaceAll(
    PLACEHOLDER,
    (_, name: string) => `${lookUp(values, name)}`,
  );
}

function lookUp(values: TemplateValues, name: string): string | readonly string[] {
  const value = values[name];
  if (value === undefined) throw new Error(`template: got no value for ${name}`);
  return value;
}
