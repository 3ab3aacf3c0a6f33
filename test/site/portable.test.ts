/** The published schemas, as validators of other languages read them. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const BASE_URL = 'https://example.test';

/** A small site: its folder, and its documents. */
async function built() {
  const site = path.join(temporaryFolder(), 'site');
  await build({ ...(await smallSource()), baseUrl: BASE_URL, out: site });
  return {
    site,
    read: (file: string) => JSON.parse(readFileSync(path.join(site, file), 'utf8')),
    schemas: readdirSync(path.join(site, 'schemas')).map((file) => `schemas/${file}`),
  };
}
/** Debian's packages are not seen by every Python. */
const python = ['/usr/bin/python3', 'python3'].find(
  (name) => spawnSync(name, ['-c', 'import jsonschema']).status === 0,
);

/** A file of the site → the schema that it has to match. */
const documents: readonly (readonly [file: string, schema: string])[] = [
  ['api/gamedata/index.json', 'root'],
  ['api/gamedata/move/index.json', 'move-page'],
  ['api/gamedata/item/index.json', 'item-page'],
  ['download/gamedata.json', 'gamedata'],
  ['404.json', 'error'],
  ['meta.json', 'meta'],
  ['manifest.json', 'manifest'],
];

describe.each([true, false])('ajv in strict mode, with unicodeRegExp %s', (unicodeRegExp) => {
  it('compiles every schema, and accepts what is served', async () => {
    const { read, schemas } = await built();
    const formats = { date: true, 'date-time': true } as const;
    const ajv = new Ajv2020({ strict: true, strictTypes: false, unicodeRegExp, formats });
    for (const file of schemas) ajv.addSchema(read(file));
    for (const [file, schema] of documents) {
      const validate = ajv.getSchema(`${BASE_URL}/schemas/${schema}.json`);
      expect(validate?.(read(file)), `${file}: ${ajv.errorsText(validate?.errors)}`).toBe(true);
    }
    const validate = ajv.getSchema(`${BASE_URL}/schemas/move.json`);
    const [move] = read('api/gamedata/move/index.json').results;
    expect(validate?.({ ...move, slug: 'No Slug' })).toBe(false);
  });
});

const PYTHON = `
import json, sys
import jsonschema
from jsonschema import Draft202012Validator
site, documents = sys.argv[1], json.load(sys.stdin)
def load(name):
    with open(f"{site}/{name}", encoding="utf8") as file:
        return json.load(file)
schemas = {name: load(f"schemas/{name}.json") for name in sorted({schema for _, schema in documents} | {"move", "item"})}
by_id = {schema["$id"]: schema for schema in schemas.values()}
def validator(name):
    # Versions before 4.18 have no registries.
    return Draft202012Validator(schemas[name], resolver=jsonschema.RefResolver("", schemas[name], store=by_id))
for file, name in documents:
    Draft202012Validator.check_schema(schemas[name])
    problems = list(validator(name).iter_errors(load(file)))
    print(file, len(problems), problems[0].message[:200] if problems else "")
wrong = dict(load("api/gamedata/move/index.json")["results"][0], slug="No Slug")
print("wrong", len(list(validator("move").iter_errors(wrong))))
`;

describe("Python's jsonschema", () => {
  it.skipIf(python === undefined && process.env.ENGINES !== 'all')(
    'reads every schema, and accepts what is served',
    async () => {
      const { site } = await built();
      const script = path.join(path.dirname(site), 'validate.py');
      writeFileSync(script, PYTHON);
      const { stdout, stderr } = spawnSync(
        python ?? 'python3',
        ['-W', 'ignore::DeprecationWarning', script, site],
        { input: JSON.stringify(documents), encoding: 'utf8' },
      );
      expect(stderr).toBe('');
      const expected = [...documents.map(([file]) => `${file} 0`), 'wrong 1'];
      expect(stdout.trimEnd().split(/\s*\n/)).toEqual(expected);
    },
  );
});
