/** The public types as TypeScript, generated from the JSON Schemas: `types.d.ts` of every site and of the package. */

import { type JsonSchema, jsonSchemas, typeName } from './schemas.ts';

export function typeDeclarations(): string {
  const types = Array.from(jsonSchemas(typeName), ([name, schema]) => {
    return `${comment(schema, '')}export interface ${typeName(name)} ${typeOf(schema, '')}\n`;
  });
  return `/** The responses of the API, generated from the schemas that validate every build. */\n\n${types.join('\n')}`;
}

/** @param indent the indentation of the type's lines */
function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, anyOf, enum: values, type, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref;
  if (anyOf) return anyOf.map((one) => typeOf(asSchema(one), indent)).join(' | ');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `readonly ${parenthesized(typeOf(asSchema(items), indent))}[]`;
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  if (!properties) return `{ readonly [name: string]: ${typeOf(asSchema(additionalProperties), indent)} }`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const one = asSchema(field);
    const mark = schema.required?.includes(name) ? '' : '?';
    return `${comment(one, inner)}${inner}readonly ${name}${mark}: ${typeOf(one, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** JSON Schema also allows true and false; anything that is not an object becomes `unknown`. */
const asSchema = (schema: JsonSchema['items'] | JsonSchema['additionalProperties']): JsonSchema =>
  typeof schema === 'object' && !Array.isArray(schema) ? schema : {};

const parenthesized = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

const comment = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description} */\n`;
