import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawRecords } from '../support/sites.ts';
import { specifiedSite } from '../support/specification.ts';
import { sharedFolder } from '../support/temporary.ts';

const { files, json } = specifiedSite(rawRecords(1, 1));
const documents = [...files.keys()].filter((name) => name.startsWith('schemas/') || name === 'openapi.json');

function findPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'pattern' && typeof inner === 'string' ? [inner] : findPatterns(inner),
  );
}
const patterns = [...new Set(documents.flatMap((name) => findPatterns(json(name))))];

const javaProgram = path.join(sharedFolder(), 'Match.java');
writeFileSync(
  javaProgram,
  `import java.util.*;
class Match {
  static String decode(String text) { return new String(Base64.getDecoder().decode(text), java.nio.charset.StandardCharsets.UTF_8); }
  public static void main(String[] none) {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] both = lines.nextLine().split(" ", 2);
      System.out.println(java.util.regex.Pattern.compile(decode(both[0])).matcher(decode(both[1])).find() ? 1 : 0);
    }
  }
}`,
);
const python = `import base64, re, sys
for line in sys.stdin:
    pattern, text = (base64.b64decode(part + "=").decode() for part in line.rstrip("\\n").split(" "))
    print(1 if re.search(pattern, text) else 0)`;
const perl =
  'my ($p, $t) = map { decode("UTF-8", decode_base64($_)) } split / /; print(($t =~ /$p/) ? "1\\n" : "0\\n")';

/** Each program reads lines of a pattern and a text in Base64, and prints 1 or 0 for each. */
const programs: [program: string, ...args: string[]][] = [
  ['python3', '-c', python],
  ['perl', '-MMIME::Base64', '-MEncode', '-ne', perl],
  ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', javaProgram],
];

/** Texts that match or nearly match, without a final line break, which `$` accepts in some languages. */
const nearMatches = fc.oneof(
  fc.constantFrom('pound', 'a--b', '-a', 'sprites/items/a.png', '2026-01-02'),
  fc.constantFrom('https://x.test/a-b', 'http://[::1]:80'),
  fc.string(),
  fc.stringMatching(/^[a-z0-9/:.[\]_~-]{1,30}$/),
);
const texts = fc.sample(nearMatches, { numRuns: 300, seed: 1 }).filter((text) => !/[\n\r]/.test(text));

describe("the published schemas' patterns", () => {
  it.each(patterns)('use only regex features that every language supports: %s', (pattern) => {
    for (const flags of ['', 'u', 'v']) expect(() => new RegExp(pattern, flags)).not.toThrow();
    expect(pattern).not.toContain('\\/');
    // RE2 and Rust have no look-around and no back-references; classes of Unicode properties differ.
    expect(pattern).not.toMatch(/\(\?(?!:)|\\[1-9]|\\[pP]\{/);
    // Generators of clients remove slashes around a pattern.
    expect(pattern).not.toMatch(/^\/|\/$/);
  });

  it.each(programs.filter(([program]) => spawnSync(program, ['--version']).status === 0))(
    'match the same texts in %s',
    (program, ...args) => {
      const cases = patterns.flatMap((pattern) => texts.map((text) => [pattern, text] as const));
      const encode = (text: string): string => Buffer.from(text).toString('base64');
      const input = `${cases.map((one) => one.map(encode).join(' ')).join('\n')}\n`;
      const { stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
      expect(stderr).toBe('');
      const expected = cases.map(([pattern, text]) => (new RegExp(pattern, 'u').test(text) ? '1' : '0'));
      expect(stdout.trim().split('\n')).toEqual(expected);
    },
  );
});
