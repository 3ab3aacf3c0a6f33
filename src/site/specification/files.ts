/** The specification: the OpenAPI document, the JSON Schemas, the TypeScript types, and the docs, which are made from them. */

import type { Meta } from '../../contract/meta.ts';
import { DOCS_PATH, type LinkBase, OPENAPI_FILE, TYPES_FILE } from '../../contract/paths.ts';
import type { MadeFile } from '../../contract/site-file.ts';
import type { EncodedRecords } from '../../dataset/data-set.ts';
import type { OpenApi } from '../../web/docs/openapi.ts';
import { fillDocs } from '../../web/docs/page.ts';
import { describedSite, openApiDocument } from './document.ts';
import { examplesOf } from './examples.ts';
import { jsonSchemas, schemaFile, schemaNames } from './schemas.ts';
import { typeDeclarations } from './types.ts';

export interface SpecificationPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
  /** The docs with placeholders. */
  readonly docs: string;
}

export function* specificationFiles(plan: SpecificationPlan): Generator<MadeFile> {
  const { records, meta, linkBase, archive, docs } = plan;
  const examples = examplesOf(records, linkBase);
  const site = describedSite(meta);
  const made = (path: string, make: () => string): MadeFile => ({ path, make });
  let known: object | undefined;
  const document = (): object => {
    known ??= openApiDocument(site, examples, { archive });
    return known;
  };
  yield made(OPENAPI_FILE, () => JSON.stringify(document()));
  yield made(`${DOCS_PATH.slice(1)}index.html`, () => fillDocs(docs, document() as OpenApi, site));
  let schemas: ReturnType<typeof jsonSchemas> | undefined;
  for (const name of schemaNames) {
    yield made(schemaFile(name), () => {
      schemas ??= jsonSchemas((other) => `${linkBase.baseUrl}/${schemaFile(other)}`);
      return JSON.stringify(schemas[name]);
    });
  }
  yield made(TYPES_FILE, typeDeclarations);
}
