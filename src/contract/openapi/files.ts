/** The specification as files of the site: the OpenAPI document, the schemas and the types. */

import type { LinkBase } from '../addresses.ts';
import type { EncodedRecords } from '../data-set.ts';
import { META_FILE, type Meta } from '../meta.ts';
import { jsonSchemas, schemaFile, schemaNames } from '../schemas.ts';
import type { DerivedFile } from '../site.ts';
import { TYPES_FILE, typeDeclarations } from '../types.ts';
import { OPENAPI_FILE, openApiDocument } from './document.ts';
import { examplesOf } from './examples.ts';

export interface SpecificationPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
}

/** `meta.json` says all that they depend on: address, links, and by the digest the records that examples are of. */
export function* specificationFiles({ records, meta, linkBase }: SpecificationPlan): Generator<DerivedFile> {
  const derived = (path: string, text: () => string): DerivedFile => ({
    path,
    of: [META_FILE],
    make: () => new TextEncoder().encode(text()),
  });
  yield derived(OPENAPI_FILE, () => JSON.stringify(openApiDocument(meta, examplesOf(records, linkBase))));
  let schemas: ReturnType<typeof jsonSchemas> | undefined;
  for (const name of schemaNames) {
    yield derived(schemaFile(name), () => {
      schemas ??= jsonSchemas((other) => `${linkBase.baseUrl}/${schemaFile(other)}`);
      return JSON.stringify(schemas[name]);
    });
  }
  yield derived(TYPES_FILE, typeDeclarations);
}
