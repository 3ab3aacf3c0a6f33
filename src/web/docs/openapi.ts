/** As much of an OpenAPI document as the docs show: https://spec.openapis.org/oas/v3.1.1.html */

export interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Described>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface Reference {
  readonly $ref: string;
}

interface PathItem {
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly get: Operation;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface Described {
  readonly description: string;
  readonly schema: Schema;
}

export interface Parameter extends Described {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
}

export interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
}

/** A JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly default?: unknown;
}

/** The name at the end of a reference: `#/components/schemas/Move` is `Move`. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A component, or what stands in its place. */
export const resolved = <T extends object>(value: T | Reference, among: Readonly<Record<string, T>>): T => {
  const found = '$ref' in value ? among[nameOf(value.$ref)] : value;
  if (!found) throw new Error(`${JSON.stringify(value)}: no such component`);
  return found;
};
