export type TemplateName = 'nginx.conf' | 'Caddyfile' | 'apache.conf' | 'htaccess';
export type TemplateValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * Replaces each `{{name}}` with its value. A line with a list is repeated for each element. The lines between `#if name` and
 * `#end` are kept only if the value is not empty.
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  const lookUp = (name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`template: got no value for ${name}`);
    return value;
  };
  const fillLine = (line: string): string => {
    const fields = Array.from(line.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => lookUp(name));
    const items = fields.find((value) => typeof value !== 'string') ?? [''];
    const fill = (item: string) =>
      line.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const value = lookUp(name);
        return typeof value === 'string' ? value : item;
      });
    return items.map(fill).join('');
  };
  return template
    .replaceAll(/^#if (\w+)\n(.*?)^#end\n/gms, (_, name: string, lines: string) =>
      lookUp(name).length > 0 ? lines : '',
    )
    .replaceAll(/^.*\{\{.*\n/gm, fillLine);
}
