import { describe, expect, it } from 'vitest';
import { fillTemplate } from '../../src/hosts/template.ts';

const values = { base: '/games', icons: '', headers: ["A '$1'", "B '$&'"], none: [] };

describe('fillTemplate', () => {
  it.each([
    ['replaces names with values', 'a {{base}}/$x {{icons}}{y} {{base}}\n', 'a /games/$x {y} /games\n'],
    ['repeats a line for each element', '  {{base}} {{headers}};\n', "  /games A '$1';\n  /games B '$&';\n"],
    ['removes a line without elements', 'a\n{{none}}\nb\n', 'a\nb\n'],
    ['keeps lines of a value', '#if base\n{{base}}\n#end\n', '/games\n'],
    ['removes lines of an empty value', 'a\n#if icons\n{{icons}}\n#end\n#if none\nb\n#end\nc\n', 'a\nc\n'],
  ])('%s', (_, template, expected) => {
    expect(fillTemplate(template, values)).toBe(expected);
  });

  it('rejects a name without a value', () => {
    expect(() => fillTemplate('{{root}}\n', values)).toThrow('template: got no value for root');
  });
});
