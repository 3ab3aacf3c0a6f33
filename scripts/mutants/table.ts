/** The guards, each with what takes it out of the code and the test that has to notice. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of code.

export interface Mutant {
  readonly guard: string;
  readonly file: string;
  /** Found once in the file, and replaced. */
  readonly code: string;
  readonly without: string;
  /** Test files, and a part of the test's name where a file takes long. */
  readonly tests: readonly string[];
  readonly named?: string;
}

const faults = (named: string) => ({ tests: ['test/torture/faults.test.ts'], named });

const fetching: Mutant[] = [
  {
    guard: '429 is asked for again',
    file: 'src/http/retry.ts',
    code: '425, 429, 500',
    without: '425, 500',
    ...faults("an upstream with '429'"),
  },
  {
    guard: 'no wait of an hour, whatever Retry-After says',
    file: 'src/http/client.ts',
    code: 'error.retryAfterMs > MAX_RETRY_AFTER_MS',
    without: 'false',
    ...faults('of an hour'),
  },
  {
    guard: 'Retry-After holds back every request',
    file: 'src/http/client.ts',
    code: 'if (pause > 0) await wait(pause);',
    without: '',
    tests: ['test/http/client-politeness.test.ts'],
  },
  {
    guard: 'a cap on what arrives',
    file: 'src/http/exchange.ts',
    code: 'if (bytes > allowed)',
    without: 'if (false)',
    ...faults('a body of 200 MB'),
  },
  {
    guard: 'a cap on what is decompressed',
    file: 'src/http/body.ts',
    code: '{ maxOutputLength: Math.max(1, maxBytes) }',
    without: '{}',
    ...faults('a compression bomb'),
  },
  {
    guard: 'only encodings that were asked for',
    file: 'src/http/body.ts',
    code: 'if (!decoder)\n    throw new MalformedBody(',
    without: 'if (!decoder)\n    return body;\n  if (!decoder)\n    throw new MalformedBody(',
    ...faults('an encoding that nobody asked for'),
  },
  {
    guard: 'a body has to be UTF-8',
    file: 'src/http/body.ts',
    code: 'if (!isUtf8(body))',
    without: 'if (false)',
    ...faults('invalid UTF-8'),
  },
  {
    guard: 'only 200 is an answer',
    file: 'src/http/client.ts',
    code: 'if (status !== 200)',
    without: 'if (status >= 400)',
    ...faults('a redirect to'),
  },
  {
    guard: '304 only where a validator was sent',
    file: 'src/http/client.ts',
    code: 'status === 304 && (validator.etag ?? validator.lastModified) !== undefined',
    without: 'status === 304',
    ...faults('a 304 that nobody asked for'),
  },
  {
    guard: 'a time for the whole answer',
    file: 'src/http/exchange.ts',
    code: 'abort(new Overdue(',
    without: 'void (new Overdue(',
    ...faults('a slow drip'),
  },
  {
    guard: 'what is no HTTP is an answer of no use',
    file: 'src/http/client.ts',
    code: 'if (error instanceof errors.HTTPParserError)',
    without: 'if (false)',
    ...faults('something that is no HTTP'),
  },
  {
    guard: 'another source only where nobody answers',
    file: 'src/sources/load.ts',
    code: 'error.request.unreachable',
    without: 'true',
    tests: ['test/sources/auto.test.ts'],
  },
  {
    guard: 'who has answered is not unreachable',
    file: 'src/http/client.ts',
    code: '!answered && isUnreachable',
    without: 'isUnreachable',
    tests: ['test/http/client.test.ts'],
  },
];

const cache: Mutant[] = [
  {
    guard: 'the checksum of a cached line',
    file: 'src/http/cache.ts',
    code: 'if (line.slice(0, 16) !== checksum(json)) continue;',
    without: '',
    tests: ['test/http/cache.test.ts'],
  },
  {
    guard: 'the version of a cache',
    file: 'src/http/cache.ts',
    code: 'if (first !== header) return entries;',
    without: '',
    tests: ['test/http/cache.test.ts'],
  },
  {
    guard: 'a cached answer from the future proves nothing',
    file: 'src/http/fetcher.ts',
    code: 'entry.storedAt <= now && ',
    without: '',
    tests: ['test/http/fetcher.test.ts'],
  },
  {
    guard: 'a cached record is the one that the list names',
    file: 'src/sources/rest.ts',
    code: 'return record && isListed(record) ? record : undefined;',
    without: 'return record;',
    tests: ['test/sources/cached.test.ts'],
  },
  {
    guard: 'a cached list is of its own kind',
    file: 'src/sources/rest.ts',
    code: 'return list?.results.every(({ url }) => url.includes(`/${kind}/`)) ? list : undefined;',
    without: 'return list;',
    tests: ['test/sources/cached.test.ts'],
  },
];

const records: Mutant[] = [
  {
    guard: 'links of a list stay on the upstream’s host',
    file: 'src/sources/rest.ts',
    code: 'link?.host !== base.host || ',
    without: '',
    tests: ['test/sources/bad-input.test.ts'],
  },
  {
    guard: 'links of a list end in an id',
    file: 'src/sources/rest.ts',
    code: '!/^[1-9]\\d{0,15}$/.test(id)',
    without: 'id === ""',
    ...faults('a listed id'),
  },
  {
    guard: 'a list has as many results as it counts',
    file: 'src/sources/rest.ts',
    code: 'answer.results.length !== answer.count',
    without: 'false',
    ...faults('a count of'),
  },
  {
    guard: 'a list names each record once',
    file: 'src/sources/rest.ts',
    code: 'ids.size < listed.length',
    without: 'false',
    ...faults('a record that appears twice'),
  },
  {
    guard: 'a record is the one that was asked for',
    file: 'src/sources/rest.ts',
    code: 'if (!isListed(record)) {',
    without: 'if (false) {',
    ...faults('another record than the one asked for'),
  },
  {
    guard: 'an id is a whole number that a number holds',
    file: 'src/contract/records.ts',
    code: 'idSchema = z\n  .int()\n  .positive()',
    without: 'idSchema = z.coerce\n  .number()',
    ...faults('an id:'),
  },
  {
    guard: 'a key that is inherited is no field',
    file: 'src/sources/rest-answers.ts',
    code: 'const answer = parse(moveSchema, json,',
    without:
      'const answer = parse(moveSchema, { ...(json as object), ...Reflect.get(json as object, "__proto__") },',
    ...faults('`__proto__` instead of'),
  },
  {
    guard: 'a slug is one safe segment',
    file: 'src/contract/records.ts',
    code: "/^(?!(?:offset|con|prn|aux|nul|com\\d|lpt\\d)$)[a-z0-9]+(?:-+[a-z0-9]+)*$/, 'expected a safe slug'",
    without: "/^.+$/, 'expected a safe slug'",
    tests: ['test/handler/target.test.ts'],
  },
  {
    guard: 'a slug is no name of a device',
    file: 'src/contract/records.ts',
    code: 'con|prn|aux|nul|com\\d|lpt\\d',
    without: 'none',
    ...faults('the slug'),
  },
  {
    guard: 'a slug has a length that every file system takes',
    file: 'src/contract/records.ts',
    code: '.max(200)',
    without: '',
    ...faults('a slug of 300'),
  },
  {
    guard: 'a name has no control characters',
    file: 'src/contract/records.ts',
    code: '\\p{Cc}',
    without: '',
    ...faults('a name with'),
  },
  {
    guard: 'a name does not turn the line around',
    file: 'src/contract/records.ts',
    code: '\\p{Bidi_Control}',
    without: '',
    ...faults('a name with'),
  },
  {
    guard: 'a picture lies under sprites/items',
    file: 'src/contract/records.ts',
    code: '/^sprites\\/items\\/(?:\\w[\\w-]*\\/)*\\w(?:[\\w-]|\\.(?=\\w))*\\.(?:png|gif|jpg|webp)$/',
    without: '/^sprites.items.*$/',
    tests: ['test/sources/bad-input.test.ts'],
  },
  {
    guard: 'a kind does not shrink',
    file: 'src/guards.ts',
    code: 'lost <= (before * options.maxShrink) / 100',
    without: 'true',
    tests: ['test/guards.test.ts'],
  },
  {
    guard: 'a kind is not empty',
    file: 'src/guards.ts',
    code: 'now === 0 && options.maxShrink < 100',
    without: 'false',
    tests: ['test/guards.test.ts'],
  },
  {
    guard: 'a snapshot is what its digest says',
    file: 'src/sources/snapshot.ts',
    code: 'if (found !== digest)',
    without: 'if (false)',
    tests: ['test/sources/snapshot.test.ts'],
  },
  {
    guard: 'nothing is drawn on the terminal',
    file: 'src/printable.ts',
    code: '/[\\p{Cc}\\p{Bidi_Control}\\p{Zl}\\p{Zp}]/gu',
    without: '/nothing/gu',
    tests: ['test/reporter.test.ts'],
  },
];

const output: Mutant[] = [
  {
    guard: 'a path is inside the site',
    file: 'src/output/publish.ts',
    code: 'if (!SITE_PATH.test(path))',
    without: 'if (false)',
    tests: ['test/output/refusal.test.ts'],
  },
  {
    guard: 'a target is inside the stage, whatever its path said',
    file: 'src/output/stage.ts',
    code: 'if (!target.startsWith(fresh + path.sep))',
    without: 'if (false)',
    tests: ['test/output/stage.test.ts'],
  },
  {
    guard: 'no two paths differ in letter case alone',
    file: 'src/output/publish.ts',
    code: 'if (sizes.has(path) || sizes.has(key) || folded.has(key))',
    without: 'if (sizes.has(path))',
    tests: ['test/output/refusal.test.ts'],
  },
  {
    guard: 'files of somebody else are left alone',
    file: 'src/output/published.ts',
    code: 'if (strangers.length === 0) return;',
    without: 'return;',
    tests: ['test/output/refusal.test.ts'],
  },
  {
    guard: 'a folder without our manifest is left alone',
    file: 'src/output/published.ts',
    code: 'if (!parsed.success) {',
    without: 'if (!parsed.success) return nothing;\n  if (!parsed.success) {',
    tests: ['test/output/refusal.test.ts'],
  },
  {
    guard: 'one build at a time',
    file: 'src/output/lock.ts',
    code: 'return startOf(pid) === start;',
    without: 'return false;',
    tests: ['test/output/lock.test.ts'],
  },
  {
    guard: 'a lock is waited for while its maker fills it',
    file: 'src/output/lock.ts',
    code: "if (holder !== '' || performance.now() > until) return holder;",
    without: 'return holder;',
    tests: ['test/output/lock.test.ts'],
  },
  {
    guard: 'a maker that was stopped for too long finds its lock taken',
    file: 'src/output/lock.ts',
    code: 'if (readIfThere(file) !== own) continue;',
    without: '',
    tests: ['test/output/lock.test.ts'],
  },
  {
    guard: 'a dead process holds no lock',
    file: 'src/output/lock.ts',
    code: "if (errorCode(error) === 'ESRCH') return false;",
    without: "if (errorCode(error) === 'ESRCH') return true;",
    tests: ['test/output/lock.test.ts'],
  },
  {
    guard: 'a number that was given to a new process holds no lock',
    file: 'src/output/lock.ts',
    code: 'return startOf(pid) === start;',
    without: 'return true;',
    tests: ['test/output/lock.test.ts'],
  },
  {
    guard: 'a site that was moved aside is put back',
    file: 'src/output/work-folders.ts',
    code: 'if (!existsSync(out) && existsSync(retired)) renameSync(retired, out);',
    without: '',
    tests: ['test/output/interruption.test.ts'],
  },
  {
    guard: 'what a killed build left is removed',
    file: 'src/output/work-folders.ts',
    code: 'rmSync(leftover, { recursive: true, force: true })',
    without: 'void leftover',
    tests: ['test/output/interruption.test.ts'],
  },
  {
    guard: 'what was staged is looked at before the swap',
    file: 'src/output/stage.ts',
    code: 'if (stat?.size !== bytes)',
    without: 'if (false)',
    tests: ['test/output/stage.test.ts'],
  },
  {
    guard: 'a published file that was edited is written anew',
    file: 'src/output/published.ts',
    code: ' && stat.size === entry.bytes && stat.mtimeMs <= written',
    without: '',
    tests: ['test/output/publish.test.ts', 'test/build.test.ts'],
  },
  {
    guard: 'a build hears that it is told to stop',
    file: 'src/output/publish.ts',
    code: 'signal?.throwIfAborted();',
    without: '',
    tests: ['test/output/interruption.test.ts'],
  },
  {
    guard: 'verify reads every byte',
    file: 'src/verify/folder.ts',
    code: 'sha256 !== entry.sha256',
    without: 'false',
    tests: ['test/verify/folder.test.ts'],
  },
];

const serving: Mutant[] = [
  {
    guard: 'there is no page after the last',
    file: 'src/contract/windows.ts',
    code: 'return next < count ?',
    without: 'return next <= count ?',
    tests: ['test/contract/windows.test.ts', 'test/torture/fuzz.test.ts'],
  },
  {
    guard: 'slashes before a path are one',
    file: 'src/handler/target.ts',
    code: "sent.replace(/^\\/{2,}/, '/')",
    without: 'sent',
    tests: ['test/handler/target.test.ts', 'test/torture/fuzz.test.ts'],
  },
  {
    guard: 'slashes before a path are one, in the fuzz run alone',
    file: 'src/handler/target.ts',
    code: "sent.replace(/^\\/{2,}/, '/')",
    without: 'sent',
    tests: ['test/torture/fuzz.test.ts'],
  },
  {
    guard: 'a redirect stays on its host',
    file: 'src/handler/target.ts',
    code: "if (slash === '') return { type: 'slashless', path: `${path}/` };",
    without: "if (slash === '') return { type: 'slashless', path: `${sent}/` };",
    tests: ['test/torture/fuzz.test.ts'],
  },
  {
    guard: 'only plain names are files',
    file: 'src/handler/target.ts',
    code: '/^(?:\\w[\\w-]*\\/)*\\w[\\w-]*(?:\\.[\\w-]+)+$/.test(file)',
    without: "file !== ''",
    tests: ['test/handler/target.test.ts'],
  },
  {
    guard: 'hosts’ files are no part of the site',
    file: 'src/handler/target.ts',
    code: ' && !isHostFile(file)',
    without: '',
    tests: ['test/handler/target.test.ts'],
  },
  {
    guard: 'an offset is not negative',
    file: 'src/handler/query.ts',
    code: 'offset !== undefined && offset > 0',
    without: 'offset !== undefined',
    tests: ['test/handler/query.test.ts'],
  },
  {
    guard: 'a limit is at least one',
    file: 'src/handler/query.ts',
    code: 'limit !== undefined && limit > 0',
    without: 'limit !== undefined',
    tests: ['test/handler/query.test.ts'],
  },
  {
    guard: 'no link leads out of the folder',
    file: 'src/server/folder-store.ts',
    code: 'if (!real.startsWith(folder + path.sep)) return undefined;',
    without: '',
    tests: ['test/server/files.test.ts', 'test/server/paths.test.ts'],
  },
  {
    guard: 'a page says what it may load',
    file: 'src/handler/answer.ts',
    code: 'const page = type === PAGE_TYPE ? pageHeaders : {};\n  return answerAsset',
    without: 'const page = {};\n  return answerAsset',
    tests: ['test/verify/deployment.test.ts', 'test/torture/fuzz.test.ts'],
  },
  {
    guard: 'Netlify’s most exact rule comes first',
    file: 'src/hosts/netlify.ts',
    code: '.sort((a, b) => b.length - a.length)',
    without: '',
    tests: ['test/hosts/netlify-windows.test.ts'],
  },
  {
    guard: 'servers take the last of repeated parameters',
    file: 'src/hosts/patterns.ts',
    code: '`^(?:.*&)?${inAnyEncoding',
    without: '`^(?:.*?&)?${inAnyEncoding',
    tests: ['test/hosts/patterns.test.ts'],
  },
  {
    guard: 'servers read encoded names',
    file: 'src/hosts/patterns.ts',
    code: '[...name].map((letter) => `(?:${letter}|%${hexadecimal(letter.charCodeAt(0))})`).join',
    without: '[...name].join',
    tests: ['test/hosts/patterns.test.ts'],
  },
];

export const mutants: readonly Mutant[] = [...fetching, ...cache, ...records, ...output, ...serving];
