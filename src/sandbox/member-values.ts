import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operation } from '../partners/catalogue.js';

/** What reads a request's members from path, query and body, as the catalogue names and types them. */
export function memberReader(operation: Operation) {
  // Made at the first call: a JSON Schema for each of a hundred operations is most of what a start would cost.
  let known: KnownMembers | undefined;

  function fromText(texts: unknown): [string, unknown][] {
    return Object.entries(texts as Record<string, string | string[]>).map(([spelling, text]) => {
      known ??= knownMembers(operation);
      const name = known.names.get(spelling.toLowerCase()) ?? spelling;
      return [name, typed(known.types.get(name), text)];
    });
  }

  return async (request: FastifyRequest): Promise<Record<string, unknown>> => {
    const content = operation.encoding === 'multipart' ? await multipartMembers(request) : request.body;
    const body = typeof content === 'object' ? content : {};
    return { ...body, ...Object.fromEntries([...fromText(request.query), ...fromText(request.params)]) };
  };
}

interface KnownMembers {
  /** JSON types by name. */
  readonly types: ReadonlyMap<string, string | undefined>;
  /** Names by their spelling in lower case: the real services take `ID` for `id` (apis/4). */
  readonly names: ReadonlyMap<string, string>;
}

function knownMembers({ request }: Operation): KnownMembers {
  const types = memberTypes(z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }));
  return { types, names: new Map([...types.keys()].map((name) => [name.toLowerCase(), name])) };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The JSON types of an object's members, by their names; of a union, those of all its forms. */
function memberTypes({ properties = {}, anyOf = [] }: JsonSchema): Map<string, string | undefined> {
  const own = Object.entries(properties).map(([name, member]): [string, string | undefined] => [
    name,
    typeof member === 'object' && typeof member.type === 'string' ? member.type : undefined,
  ]);
  const alternatives = anyOf.flatMap((form) => (typeof form === 'object' ? [...memberTypes(form)] : []));
  return new Map([...alternatives, ...own]);
}

/** What text in a query or path stands for. Text that does not fit stays text, for the schema to refuse. */
function typed(type: string | undefined, text: string | string[]): unknown {
  if (type === 'array') return [text].flat();
  if (typeof text !== 'string') return text;
  if ((type === 'integer' || type === 'number') && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

async function multipartMembers(request: FastifyRequest): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  if (!request.isMultipart()) return members;
  for await (const part of request.parts()) {
    if (part.type === 'field') members[part.fieldname] = part.value;
    else {
      const content = new Uint8Array(await part.toBuffer());
      members[part.fieldname] = { fileName: part.filename, contentType: part.mimetype, content };
    }
  }
  return members;
}
