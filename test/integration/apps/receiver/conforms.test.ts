import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Contract } from '../../../rigs/partners/openapi/contract.js';
import { runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

/** A part of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const rig = await sharedRig();

/** The levels of a schema that are followed. Anything stands for what is below them. */
const DEPTH = 6;

/** Values of the shape of a schema, whose texts and numbers seldom fit, and which sometimes break it anywhere. */
function shaped(at: (ref: string) => Schema, schema: Schema, depth = DEPTH): fc.Arbitrary<unknown> {
  if (depth === 0) return fc.jsonValue();
  const follow = (part: Schema) => shaped(at, part, depth - 1);
  const fits = (): fc.Arbitrary<unknown> => {
    if (schema.$ref) return follow(at(schema.$ref));
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return fc.oneof(...choices.map(follow));
    if (schema.properties) {
      const fields = Object.entries(schema.properties).map(([name, part]) => [name, follow(part)] as const);
      const requiredKeys = (schema.required ?? []).filter((name) => name in (schema.properties ?? {}));
      return fc.record(Object.fromEntries(fields), { requiredKeys });
    }
    if (schema.type === 'array') return fc.array(follow(schema.items ?? {}), { maxLength: 3 });
    if (schema.type === 'integer') return fc.integer();
    if (schema.type === 'number') return fc.double();
    if (schema.type === 'boolean') return fc.boolean();
    return fc.string();
  };
  return fc.oneof({ weight: 19, arbitrary: fits() }, { weight: 1, arbitrary: fc.jsonValue() });
}

interface Operation {
  readonly requestBody?: { readonly content: Record<string, object> };
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}

/** A query with some of the parameters. */
function queryOf(at: (ref: string) => Schema, parameters: NonNullable<Operation['parameters']>) {
  const values = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, schema }) => [name, shaped(at, schema).map(String)] as const);
  return fc
    .record(Object.fromEntries(values), { requiredKeys: [] })
    .map((some) => String(new URLSearchParams(some as Record<string, string>)));
}

// schemathesis looks for minutes, in test/nightly/apps/receiver/schemathesis.test.ts.
it('whatever is sent to a path of the OpenAPI document, the response is one of the document, and never an internal error', async () => {
  const { url, call, log } = await runReceiver(rig, { secrets: [], requestsPerMinute: 1_000_000 });
  const { text } = await call('GET /openapi.json');
  const contract = new Contract(text);
  const document = JSON.parse(text);
  const at = (ref: string): Schema => document.components.schemas[ref.split('/').at(-1) ?? ''];
  const requests = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody, parameters = [] }]) =>
      Object.entries(requestBody?.content ?? { '': {} }).map(
        ([type, { schema }]: [string, { schema?: Schema }]) =>
          fc.record({
            method: fc.constant(method.toUpperCase()),
            type: fc.constant(type),
            path: fc
              .string({ minLength: 1, unit: 'binary' })
              .map((text) => path.replace(/\{\w+\}/g, encodeURIComponent(text))),
            query: queryOf(at, parameters),
            body: schema ? shaped(at, schema).map((value) => JSON.stringify(value)) : fc.constant(undefined),
            token: fc.constantFrom(TOKEN, TOKEN, TOKEN, 'wrong'),
          }),
      ),
    ),
  );
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(...requests), async ({ method, path, query, type, body, token }) => {
      const headers = { authorization: `Bearer ${token}`, ...(type !== '' && { 'content-type': type }) };
      const response = await fetch(`${url}${path}?${query}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      statuses.add(response.status);
      const answered = { headers: Object.fromEntries(response.headers), body: () => bytes };
      const line = `${method} ${path}`;
      const seen = { line, url: path, status: response.status, request: answered, response: answered };
      expect(contract.response(seen as never).problems).toEqual([]);
    }),
    { seed: 1, numRuns: 300 },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 202, 401, 404, 422]));
  expect(log()).not.toContain('The receiver has an internal error');
});
