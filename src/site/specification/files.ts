/** The specification: the OpenAPI document, the JSON Schemas, the TypeScript types, and the docs, which are made from them. */

import { linkBaseOf, type Meta } from '../../contract/meta.ts';
import { DOCS_PATH, OPENAPI_FILE, TYPES_FILE } from '../../contract/paths.ts';
import type { SiteFile } from '../../contract/site-file.ts';
import type { EncodedRecords } from '../../dataset/data-set.ts';
import type { OpenApi } from '../../web/docs/openapi.ts';
import { fillDocs } from '../../web/docs/page.ts';
import { examplesOf } from './api-paths.ts';
import { openApiDocument } from './document.ts';
import { jsonSchemas, schemaFile } from './schemas.ts';
import { typeDeclarations } from './types.ts';

export interface SpecificationPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
  /** The docs with placeholders. */
  readonly docs: string;
}

export function specificationFiles({ records, meta, archive, docs }: SpecificationPlan): SiteFile[] {
  const document = openApiDocument(meta, examplesOf(records, linkBaseOf(meta)), { archive });
  const schemas = jsonSchemas((name) => `${meta.base_url}/${schemaFile(name)}`);
  return [
    { path: OPENAPI_FILE, body: JSON.stringify(document) },
    { path: `${DOCS_PATH.slice(1)}index.html`, body: fillDocs(docs, document as OpenApi, meta) },
    ...Array.from(schemas, ([name, schema]) => ({ path: schemaFile(name), body: JSON.stringify(schema) })),
    { path: TYPES_FILE, body: typeDeclarations() },
  ];
}
