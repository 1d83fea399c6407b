import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Message, Seen } from '../../counting-proxy.js';

/** The parts of an OpenAPI 3.1 document that are checked here. */
interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly schema: { readonly type?: string };
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, object>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly security?: readonly object[];
  readonly 'x-provenance': string;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly security: readonly object[];
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** An operation of a document, its place there, and its path parameters as text. */
interface Found {
  readonly operation: OperationObject;
  readonly at: readonly string[];
  readonly path: Readonly<Record<string, string>>;
}

/** The operation of an exchange, and how it differs from the document. */
export interface Verdict {
  readonly operationId: string | undefined;
  readonly problems: readonly string[];
}

/**
 * Checks requests and responses against an OpenAPI 3.1 document. Ajv compares values with their schemas, in the dialect of the
 * document, and also parameters, which are text.
 */
export class Contract {
  readonly #document: OpenApiDocument;
  readonly #values: Ajv2020;
  readonly #texts: Ajv2020;

  constructor(text: string) {
    this.#document = JSON.parse(text);
    this.#values = validator(text, { coerceTypes: false });
    this.#texts = validator(text, { coerceTypes: true });
  }

  /** Its operations, with method, path template and statuses. */
  operations(): { operationId: string; line: string; isDocumented: boolean; statuses: number[] }[] {
    return Object.entries(this.#document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, responses, 'x-provenance': provenance }]) => ({
        operationId,
        line: `${method.toUpperCase()} ${path}`,
        isDocumented: provenance === 'documented',
        statuses: Object.keys(responses).map(Number),
      })),
    );
  }

  /** Checks a request and its response. */
  async exchange(seen: Seen): Promise<Verdict> {
    const result = this.#find(seen);
    if (!result) return unknown(seen);
    const request = await this.#request(result, seen);
    return {
      operationId: result.operation.operationId,
      problems: [...request, ...this.#response(result, seen)],
    };
  }

  /** Checks a response alone, where the request is invalid on purpose. */
  response(seen: Seen): Verdict {
    const result = this.#find(seen);
    return result
      ? { operationId: result.operation.operationId, problems: this.#response(result, seen) }
      : unknown(seen);
  }

  /** Finds an operation by method and path. If several templates fit, the one with the fewest parameters counts, as in OpenAPI. */
  #find({ line }: Seen): Found | undefined {
    const [method = '', address = ''] = line.split(' ');
    const fitting = Object.entries(this.#document.paths).flatMap(([template, item]): Found[] => {
      const operation = item[method.toLowerCase()];
      const path = parametersOf(template, address);
      return operation && path ? [{ operation, at: ['paths', template, method.toLowerCase()], path }] : [];
    });
    return fitting.sort((one, other) => Object.keys(one.path).length - Object.keys(other.path).length)[0];
  }

  async #request(result: Found, { url, request }: Seen): Promise<string[]> {
    const { operation, at, path } = result;
    const input = new URL(url, 'http://partner.example.com').searchParams;
    const query = Object.fromEntries(
      [...new Set(input.keys())].map((name) => {
        const isList = operation.parameters.some((one) => one.name === name && one.schema.type === 'array');
        const all = input.getAll(name);
        return [name, isList || all.length > 1 ? all : all[0]];
      }),
    );
    const headers = operation.parameters.flatMap(({ in: place, name }) => {
      const value = request.headers[name.toLowerCase()];
      return place === 'header' && value !== undefined ? [[name, value]] : [];
    });
    return [
      ...this.#parameters(result, 'path', path),
      ...this.#parameters(result, 'query', query),
      ...this.#parameters(result, 'header', Object.fromEntries(headers)),
      ...this.#credentials(operation, request),
      ...(await this.#body(operation.requestBody, [...at, 'requestBody'], request)),
    ];
  }

  #parameters({ operation, at }: Found, place: Parameter['in'], input: object): string[] {
    const properties = operation.parameters.flatMap((one, index) =>
      one.in === place ? [[one.name, { $ref: pointer(...at, 'parameters', String(index), 'schema') }]] : [],
    );
    const needed = operation.parameters.filter((one) => one.in === place && one.required);
    const schema = {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: needed.map(({ name }) => name),
      additionalProperties: false,
    };
    return misfits(this.#texts, schema, { ...input }).map((problem) => `${place}${problem}`);
  }

  #credentials({ security = this.#document.security }: OperationObject, { headers }: Message): string[] {
    const { authorization = '' } = headers;
    if (security.length === 0) return authorization === '' ? [] : ['credentials where none are asked for'];
    const fits = security.some((requirement) =>
      Object.keys(requirement).every((name) => {
        const { type, scheme, name: header = '' } = this.#document.components.securitySchemes[name] ?? {};
        if (type === 'apiKey') return headers[header.toLowerCase()] !== undefined;
        return authorization.toLowerCase().startsWith(`${scheme} `);
      }),
    );
    return fits ? [] : ['no credentials of a kind that is asked for'];
  }

  async #body(
    described: Body | undefined,
    at: readonly string[],
    { headers, body }: Message,
  ): Promise<string[]> {
    const bytes = body();
    if (bytes.length === 0) return described?.required ? ['no body'] : [];
    const mediaType = mediaTypeOf(headers);
    if (!described?.content?.[mediaType]) return [`a body of type ${mediaType}`];
    const value =
      mediaType === 'multipart/form-data' ? await parts(bytes, headers) : JSON.parse(String(bytes));
    return misfits(this.#values, { $ref: pointer(...at, 'content', mediaType, 'schema') }, value);
  }

  #response({ operation, at }: Found, { status, response }: Seen): string[] {
    const described = operation.responses[status];
    if (!described || !response) return [`a response with ${status}`];
    const { headers, body } = response;
    const bytes = body();
    if (described.content === undefined) return bytes.length === 0 ? [] : ['a response with a body'];
    const mediaType = mediaTypeOf(headers);
    if (!described.content[mediaType]) return [`a response of type ${mediaType}`];
    if (mediaType !== 'application/json') return bytes.length > 0 ? [] : ['an empty file'];
    const schema = { $ref: pointer(...at, 'responses', String(status), 'content', mediaType, 'schema') };
    return misfits(this.#values, schema, JSON.parse(String(bytes)));
  }
}

/** Strict: a keyword that is neither JSON Schema nor OpenAPI is an error. */
function validator(document: string, { coerceTypes }: { coerceTypes: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, coerceTypes, strictTypes: false });
  formats.default(ajv);
  const around = JSON.parse(document);
  ajv.addVocabulary([...Object.keys(around), 'x-provenance']);
  return ajv.addSchema(around, 'document');
}

const compiled = new WeakMap<Ajv2020, Map<string, ValidateFunction>>();

/** Ajv's errors about a value. */
function misfits(ajv: Ajv2020, schema: object, value: unknown): string[] {
  const entries = compiled.get(ajv) ?? new Map<string, ValidateFunction>();
  compiled.set(ajv, entries);
  const key = JSON.stringify(schema);
  const fits = entries.get(key) ?? ajv.compile(schema);
  entries.set(key, fits);
  fits(value);
  return (fits.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Refers to a part of the document. */
function pointer(...keys: string[]): string {
  return `document#/${keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

/** The path parameters by the names in a template; undefined when the path does not fit. */
function parametersOf(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replace(/[.]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}$`).exec(path);
  if (!match) return undefined;
  return Object.fromEntries(
    Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
  );
}

function mediaTypeOf(headers: Message['headers']): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}

/** The parts of a form by name; a file is the text of its bytes. */
async function parts(body: Buffer, headers: Message['headers']): Promise<object> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const entries = [...form].map(async ([name, part]) => [
    name,
    typeof part === 'string' ? part : await part.text(),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

function unknown({ line }: Seen): Verdict {
  return { operationId: undefined, problems: [`${line} is not in the document`] };
}
