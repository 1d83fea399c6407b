import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { contentTypeOf, type DocumentStore } from '../../documents/document-store.js';
import type { FileToSend, IntegerToSend } from '../../messages/partner-call.js';
import type { DocumentRef } from '../../messages/requirements.js';
import type { FilePart, Operation } from '../../partners/catalogue.js';
import { parseExactly } from '../../partners/exact-json.js';
import type { CommandLine } from '../command-line.js';
import { InvalidInput } from '../errors.js';
import { check } from '../input-file.js';

/** A request as a person gave it, checked by every rule of its operation. */
export interface GivenRequest {
  /** Its members; a file is the path it was given by, after an `@`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The files, by member. */
  readonly files: Readonly<Record<string, FilePart>>;
}

/**
 * Reads a request: JSON, `@file`, or `-` for standard input. No argument is a request without members.
 *
 * @param more members that are added where they are missing
 * @throws {InvalidInput} that names every wrong field
 */
export async function readRequest(
  cli: CommandLine,
  operation: Operation,
  given = '{}',
  more: Readonly<Record<string, unknown>> = {},
): Promise<GivenRequest> {
  const members = { ...more, ...(await readMembers(cli, given)) };
  const files = operation.encoding === 'multipart' ? await readFiles(members) : {};
  check(operation.request, { ...members, ...files }, 'request', 'nothing was sent');
  return { members, files };
}

/** The request as the worker gets it: its files are in the document store, and all its numbers keep their digits. */
export async function toSend({ members, files }: GivenRequest, documents: DocumentStore) {
  const stored = Object.entries(files).map(async ([name, { fileName, content }]) => {
    const document: DocumentRef = await documents.put(fileName, content);
    return [name, { document } satisfies FileToSend] as const;
  });
  return {
    ...(asJson(members) as Record<string, unknown>),
    ...Object.fromEntries(await Promise.all(stored)),
  };
}

async function readMembers(cli: CommandLine, given: string): Promise<Record<string, unknown>> {
  const name = given === '-' ? 'standard input' : given.startsWith('@') ? given.slice(1) : 'request';
  const json = await content(cli, given, name);
  let members: unknown;
  try {
    members = parseExactly(json);
  } catch {
    // The parser's own message quotes the text, which may hold private data.
    throw new InvalidInput(`${name}: is not JSON`);
  }
  if (typeof members === 'object' && members !== null && !Array.isArray(members)) return { ...members };
  throw new InvalidInput(`${name}: must be a JSON object`);
}

async function content(cli: CommandLine, given: string, name: string): Promise<string> {
  if (given === '-') return String(await cli.input());
  if (!given.startsWith('@')) return given;
  return (await readFrom(name, name)).toString('utf8');
}

/** A member that begins with `@` names a file. */
async function readFiles(members: Readonly<Record<string, unknown>>): Promise<Record<string, FilePart>> {
  const named = Object.entries(members).flatMap(([member, value]) =>
    typeof value === 'string' && value.startsWith('@') ? [[member, value.slice(1)] as const] : [],
  );
  const parts = named.map(async ([member, path]): Promise<[string, FilePart]> => {
    const bytes = await readFrom(path, `${member}: ${path}`);
    return [member, { fileName: basename(path), contentType: contentTypeOf(path), content: bytes }];
  });
  return Object.fromEntries(await Promise.all(parts));
}

async function readFrom(path: string, what: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInput(`${what}: cannot be read (${error.code})`);
  });
}

function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return { exactInteger: String(value) } satisfies IntegerToSend;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inside]) => [member, asJson(inside)]));
}
