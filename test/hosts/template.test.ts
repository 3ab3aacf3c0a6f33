import { describe, expect, it } from 'vitest';
import { fillTemplate } from '../../src/hosts/template.ts';

describe('fillTemplate', () => {
  const values = {
    base: '/games',
    icons: '',
    headers: ["A '$1'", "B '$&'"],
    none: [],
  };
  it.each([
    ['a {{base}}/$x {{icons}}{y} {{base}}\n', 'a /games/$x {y} /games\n'],
    ['  {{base}} {{headers}};\n', "  /games A '$1';\n  /games B '$&';\n"],
    ['a\n{{none}}\nb\n', 'a\nb\n'],
    ['#if base\n{{base}}\n#end\n', '/games\n'],
    ['a\n#if icons\n{{icons}}\n#end\n#if none\nb\n#end\nc\n', 'a\nc\n'],
  ])('fills in the template %j', (template, expected) => {
    expect(fillTemplate(template, values)).toBe(expected);
  });

  it('rejects a placeholder without a value', () => {
    expect(() => fillTemplate('{{root}}\n', values)).toThrow(
      'template: got no value for root',
    );
  });
});
