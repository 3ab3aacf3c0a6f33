/** The specification: the OpenAPI document, the JSON Schemas and the TypeScript types. */

import type { Meta } from '../../contract/meta.ts';
import { type LinkBase, OPENAPI_FILE, TYPES_FILE } from '../../contract/paths.ts';
import type { MadeFile } from '../../contract/site-file.ts';
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

export function* specificationFiles({ records, meta, linkBase }: SpecificationPlan): Generator<MadeFile> {
  const made = (path: string, text: () => string): MadeFile => ({
    path,
    make: () => new TextEncoder().encode(text()),
  });
  yield made(OPENAPI_FILE, () => JSON.stringify(openApiDocument(meta, examplesOf(records, linkBase))));
  let schemas: ReturnType<typeof jsonSchemas> | undefined;
  for (const name of schemaNames) {
    yield made(schemaFile(name), () => {
      schemas ??= jsonSchemas((other) => `${linkBase.baseUrl}/${schemaFile(other)}`);
      return JSON.stringify(schemas[name]);
    });
  }
  yield made(TYPES_FILE, typeDeclarations);
}
