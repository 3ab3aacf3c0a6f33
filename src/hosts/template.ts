/** The value of each placeholder: a string, or a list with one item per line. */
export type TemplateValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * Fills a template. Each `{{name}}` is replaced with its value. If the value is a list,
 * the line is repeated for each item. The lines between `#if name` and `#end` are kept
 * only if the value of `name` is not empty.
 *
 * @throws Error if a value is missing
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  const withoutBlocks = template.replaceAll(
    BLOCK,
    (_, name: string, lines: string) => {
      // An empty string, or a list without items.
      const isEmpty = getValueOrThrow(values, name).length === 0;
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
 * Fills in one line of a template. A line with a list is repeated for each item. Each copy
 * has the item in place of the list, and is then filled in like any other line, because it
 * may contain another list.
 */
function fillLine(line: string, values: TemplateValues): string {
  const list = findFirstList(line, values);
  if (list === undefined) {
    return line.replaceAll(
      PLACEHOLDER,
      (_, name: string) => `${getValueOrThrow(values, name)}`,
    );
  }
  let lines = '';
  for (const item of list.items) {
    lines += fillLine(line, { ...values, [list.name]: item });
  }
  return lines;
}

/** A placeholder whose value is a list. */
interface ListPlaceholder {
  readonly name: string;
  readonly items: readonly string[];
}

/** Finds the first placeholder in a line whose value is a list. */
function findFirstList(
  line: string,
  values: TemplateValues,
): ListPlaceholder | undefined {
  for (const [, name = ''] of line.matchAll(PLACEHOLDER)) {
    const value = getValueOrThrow(values, name);
    if (typeof value !== 'string') return { name, items: value };
  }
  return undefined;
}

/** @throws Error if the template contains a name that has no value */
function getValueOrThrow(
  values: TemplateValues,
  name: string,
): string | readonly string[] {
  const value = values[name];
  if (value === undefined) throw new Error(`template: got no value for ${name}`);
  return value;
}
