/** JSON that is part of an OpenAPI 3.1 document. */
export type Json = Readonly<Record<string, unknown>>;

/** Leads to a component of the document. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** A response whose body is JSON. */
export function answer(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}
