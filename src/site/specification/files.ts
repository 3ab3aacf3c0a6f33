/** The specification: the OpenAPI document, the JSON Schemas and the TypeScript types. */

import type { Meta } from '../../contract/meta.ts';
import { type LinkBase, META_FILE, OPENAPI_FILE, TYPES_FILE } from '../../contract/paths.ts';
import type { DerivedFile } from '../../contract/site-file.ts';
import type { EncodedRecords } from '../../dataset/data-set.ts';
import { openApiDocument } from './document.ts';
import { examplesOf } from './examples.ts';
import { jsonSchemas, schemaFile, schemaNames } from './schemas.ts';
import { typeDeclarations } from './types.ts';

export interface SpecificationPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
}

/** They depend on nothing but `meta.json`: base URL, links, and by its digest the records of the examples. */
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
