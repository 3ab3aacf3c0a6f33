/** The published schemas, as a validator of another language reads them. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

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

it.skipIf(python === undefined && process.env.ENGINES !== 'all')(
  "Python's jsonschema reads every schema, and accepts what is served",
  async () => {
    const site = path.join(temporaryFolder(), 'site');
    await build({ ...(await smallSource()), baseUrl: 'https://example.test', out: site });
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
