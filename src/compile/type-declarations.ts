import {
  createJsonSchemas,
  type JsonSchema,
  toSchemaObject,
  typeName,
} from '../contract/served.ts';

/** Generates `types.d.ts` of every site and of the package. */
export function declareResponses(): string {
  const types = Array.from(createJsonSchemas(typeName), ([name, schema]) => {
    return `${comment(schema, '')}export interface ${typeName(name)} ${renderType(schema, '')}\n`;
  });
  return `/** The responses of the API, generated from the schemas that validate every build. */\n\n${types.join('\n')}`;
}

function renderType(schema: JsonSchema, indent: string): string {
  const { $ref, anyOf, enum: values, type, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref;
  if (anyOf) return anyOf.map((one) => renderType(toSchemaObject(one), indent)).join(' | ');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array')
    return `readonly ${parenthesized(renderType(toSchemaObject(items), indent))}[]`;
  if (Array.isArray(type))
    return type.map((one) => renderType({ ...schema, type: one }, indent)).join(' | ');
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  if (!properties)
    return `{ readonly [name: string]: ${renderType(toSchemaObject(additionalProperties), indent)} }`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const one = toSchemaObject(field);
    const mark = schema.required?.includes(name) ? '' : '?';
    return `${comment(one, inner)}${inner}readonly ${name}${mark}: ${renderType(one, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

const parenthesized = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

const comment = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description} */\n`;
