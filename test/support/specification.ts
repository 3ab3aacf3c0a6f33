import { Ajv2020 } from 'ajv/dist/2020.js';
import { createSpecification } from '../../src/site/openapi.ts';
import type { RawRecords } from '../../src/sources/normalize.ts';
import { type SiteOptions, siteOf } from './sites.ts';

export function specifiedSite(raw: RawRecords, options?: SiteOptions) {
  const { plan, files } = siteOf(raw, options);
  const all = [...files(), ...createSpecification(plan.records, plan.meta, plan)];
  const texts = new Map(all.map(({ path, body }) => [path, Buffer.from(body).toString('utf8')]));
  const json = (path: string): Record<string, unknown> => JSON.parse(texts.get(path) ?? 'null');
  const ajv = new Ajv2020({
    ...{ strict: true, allowUnionTypes: true, allErrors: true },
    formats: { date: /^\d{4}-\d\d-\d\d$/, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  });
  for (const path of texts.keys()) if (path.startsWith('schemas/')) ajv.addSchema(json(path));
  return {
    /** Path → text. */
    files: texts,
    json,
    /** Validates a value with a published schema. Returns null for a valid value. */
    problems(schema: string, value: unknown): string | null {
      const validate = ajv.getSchema(`${plan.linkBase.baseUrl}/schemas/${schema}.json`);
      if (!validate) throw new Error(`the site has no schema ${schema}`);
      return validate(value) ? null : ajv.errorsText(validate.errors);
    },
  };
}
