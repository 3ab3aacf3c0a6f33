import {
  createJsonSchemas,
  type JsonSchema,
  toSchemaObject,
  typeName,
} from '../contract/served.ts';

/**
 * Generates the file `types.d.ts`, which is part of every site and of the package.
 */
export function declareResponses(): string {
  const declarations: string[] = [];
  for (const [name, schema] of createJsonSchemas(typeName)) {
    const comment = renderComment(schema, '');
    const type = renderType(schema, '');
    declarations.push(`${comment}export interface ${typeName(name)} ${type}\n`);
  }
  return `/** The responses of the API, generated from the schemas that validate every build. */

${declarations.join('\n')}`;
}

/**
 * Renders a JSON Schema as a TypeScript type. It supports only the features that our
 * schemas use: references, alternatives, enumerated values, arrays, lists of types,
 * simple types, and objects with known or arbitrary keys.
 *
 * @param indent the indentation of the line on which the type begins
 */
function renderType(schema: JsonSchema, indent: string): string {
  const {
    $ref: reference,
    anyOf: alternatives,
    enum: values,
    type,
    properties,
  } = schema;
  if (reference !== undefined) return reference;
  if (alternatives) {
    const types = alternatives.map((option) =>
      renderType(toSchemaObject(option), indent),
    );
    return types.join(' | ');
  }
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') {
    const itemType = renderType(toSchemaObject(schema.items), indent);
    return `readonly ${addParentheses(itemType)}[]`;
  }
  if (Array.isArray(type)) {
    const types = type.map((name) => renderType({ ...schema, type: name }, indent));
    return types.join(' | ');
  }
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  if (properties) return renderObject(schema, indent);
  const valueType = renderType(toSchemaObject(schema.additionalProperties), indent);
  return `{ readonly [name: string]: ${valueType} }`;
}

/** Renders an object with known keys. Each key's description becomes its comment. */
function renderObject(
  { properties = {}, required = [] }: JsonSchema,
  indent: string,
): string {
  const innerIndent = `${indent}  `;
  let fields = '';
  for (const [name, property] of Object.entries(properties)) {
    const schema = toSchemaObject(property);
    const mark = required.includes(name) ? '' : '?';
    const type = renderType(schema, innerIndent);
    fields += renderComment(schema, innerIndent);
    fields += `${innerIndent}readonly ${name}${mark}: ${type};\n`;
  }
  return `{\n${fields}${indent}}`;
}

function addParentheses(type: string): string {
  const isSimple = /^\w+$/.test(type);
  return isSimple ? type : `(${type})`;
}

function renderComment({ description }: JsonSchema, indent: string): string {
  if (description === undefined) return '';
  return `${indent}/** ${description} */\n`;
}
