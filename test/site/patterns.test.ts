/** The patterns of published schemas, in the languages that are here: each compiles everywhere, and says the same. */

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

function* patternsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'pattern' && typeof inner === 'string') yield inner;
    else yield* patternsIn(inner);
  }
}
const patterns = [...new Set(documents.flatMap((name) => [...patternsIn(json(name))]))];

const folder = sharedFolder();
/** JSON is read by JavaScript: Java has no reader of its own. */
const javaProgram = path.join(folder, 'Match.java');
writeFileSync(
  javaProgram,
  `import java.util.*;
import java.util.regex.*;
class Match {
  static String decode(String text) { return new String(Base64.getDecoder().decode(text), java.nio.charset.StandardCharsets.UTF_8); }
  public static void main(String[] none) {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] both = lines.nextLine().split(" ", 2);
      System.out.println(Pattern.compile(decode(both[0])).matcher(decode(both[1])).find() ? 1 : 0);
    }
  }
}
`,
);

/** RE2. */
const goProgram = path.join(folder, 'match.go');
writeFileSync(
  goProgram,
  `package main
import ("bufio"; "encoding/json"; "fmt"; "os"; "regexp")
func main() {
  lines := bufio.NewScanner(os.Stdin)
  for lines.Scan() {
    var both [2]string
    if err := json.Unmarshal(lines.Bytes(), &both); err != nil { panic(err) }
    matches := 0
    if regexp.MustCompile(both[0]).MatchString(both[1]) { matches = 1 }
    fmt.Println(matches)
  }
}
`,
);

/** Program → one that reads lines of pattern and text as JSON, and prints 1 or 0 for each. */
const languages: Readonly<Record<string, readonly string[]>> = {
  python3: [
    '-c',
    `import json, re, sys
for line in sys.stdin:
    pattern, text = json.loads(line)
    print(1 if re.search(pattern, text) else 0)`,
  ],
  perl: [
    '-MJSON::PP',
    '-e',
    'while (<STDIN>) { my ($p, $t) = @{decode_json($_)}; print(($t =~ /$p/) ? 1 : 0, "\\n") }',
  ],
  ruby: [
    '-rjson',
    '-e',
    'STDIN.each_line { |line| pattern, text = JSON.parse(line); puts(text.match?(Regexp.new(pattern)) ? 1 : 0) }',
  ],
  // PCRE
  php: [
    '-r',
    'while ($line = fgets(STDIN)) { [$p, $t] = json_decode($line); echo preg_match("\x01$p\x01uD", $t), "\n"; }',
  ],
  java: [javaProgram],
  go: ['run', goProgram],
};

/** Rust's: ripgrep reads a line of text after the other, and prints the numbers of those that fit. */
function matchedByRust(pattern: string, lines: readonly string[]): number[] {
  const args = ['--line-number', '--only-matching', '--replace', '', '-e', pattern];
  const { stdout, stderr, status } = spawnSync('rg', args, { input: lines.join('\n'), encoding: 'utf8' });
  expect([stderr, status === 2]).toEqual(['', false]);
  return [...stdout.matchAll(/^(\d+):/gm)].map(([, line]) => Number(line) - 1);
}

const isThere = (program: string): boolean =>
  spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0;

/** Texts that fit, or nearly. `$` of other languages than JavaScript allows a line break at the end: none has one. */
const texts = fc.sample(
  fc.oneof(
    fc.constantFrom('pound', 'a--b', '-a', 'sprites/items/a.png', '2026-01-02'),
    fc.constantFrom('https://x.test/a-b', 'http://[::1]:80'),
    fc.string(),
    fc.stringMatching(/^[a-z0-9/:.[\]_~-]{1,30}$/),
  ),
  { numRuns: 300, seed: 1 },
);

describe('the patterns of published schemas', () => {
  it.each(patterns)('compiles with the flags of ECMA-262, and needs no escaped slash: %s', (pattern) => {
    for (const flags of ['', 'u', 'v']) expect(() => new RegExp(pattern, flags)).not.toThrow();
    expect(pattern).not.toContain('\\/');
    // Look-around and back-references are what RE2 and Rust do not have, others differ in classes of Unicode properties and flags.
    expect(pattern).not.toMatch(/\(\?(?!:)|\\[1-9]|\\[pP]\{/);
    // Generators of clients take slashes around a pattern away.
    expect(pattern).not.toMatch(/^\/|\/$/);
  });

  it.each(Object.entries(languages).filter(([program]) => isThere(program)))(
    'say the same in %s',
    (program, args) => {
      const cases = patterns.flatMap((pattern) => texts.map((text) => [pattern, text] as const));
      const inBase64 = (one: readonly string[]) =>
        one.map((text) => Buffer.from(text).toString('base64')).join(' ');
      const input = cases.map((one) => (program === 'java' ? inBase64(one) : JSON.stringify(one))).join('\n');
      const { stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
      expect(stderr).toBe('');
      const expected = cases.map(([pattern, text]) => (new RegExp(pattern, 'u').test(text) ? '1' : '0'));
      expect(stdout.trim().split('\n')).toEqual(expected);
    },
  );

  it.runIf(isThere('rg'))('say the same in Rust', () => {
    const lines = texts.filter((text) => !/[\n\r]/.test(text));
    for (const pattern of patterns) {
      const expected = lines.flatMap((text, at) => (new RegExp(pattern, 'u').test(text) ? [at] : []));
      expect(matchedByRust(pattern, lines), pattern).toEqual(expected);
    }
  });
});
