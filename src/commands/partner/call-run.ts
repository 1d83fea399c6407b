import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { contentTypeOf, type DocumentStore, documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/file-store.js';
import type {
  FileToSend,
  IntegerToSend,
  PartnerCall,
  PartnerResponse,
  SingleActivity,
} from '../../messages/activities.js';
import type { DocumentRef } from '../../messages/requirements.js';
import {
  type FilePart,
  isDownload,
  type Operation,
  type Operations,
  operationName,
} from '../../partners/catalogue.js';
import { orRefusal, type PartnerClient } from '../../partners/client.js';
import { closeAll, partnerClients } from '../../partners/clients.js';
import { parseExactly } from '../../partners/json.js';
import { failureIn, PartnerError } from '../../partners/partner-error.js';
import type { SystemName } from '../../partners/systems.js';
import { masked } from '../../privacy/masked.js';
import { withoutPrivate } from '../../privacy/private-fields.js';
import { accountOf } from '../../settings/settings.js';
import { traceExchanges } from '../../tracing/spans.js';
import { check } from '../cli/arguments.js';
import { type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed, InvalidInput, problemLines } from '../cli/errors.js';
import { inWords } from '../cli/partner-account.js';
import { awaitSingle, runSingle } from '../cli/single-activity.js';

/** What came back from a call. */
export type Answered = Exclude<PartnerResponse, { readonly file: unknown }>;

/** One call, as a person asked for it. */
export interface Wanted {
  readonly id: string;
  readonly system: SystemName;
  /** Our account at the partners; the one without a name unless given. */
  readonly partnerAccount: string | undefined;
  readonly key: string;
  readonly operation: Operation;
  readonly request: GivenRequest;
  readonly toProduction: boolean;
  /** Where a file goes that is the answer. */
  readonly output: string | undefined;
  /** How long it may wait for a worker, in milliseconds. */
  readonly startWithin: number;
}

/** A file that was the answer, and is where it was wanted. */
export interface SavedFile {
  readonly saved: string;
  readonly contentType: string;
}

export function callId(system: SystemName, operation: string): string {
  return `call-${system}-${operation}-${randomUUID()}`;
}

/** How long a call may go on. A large file takes longer than an answer. */
const CALL = '2m';
const DOWNLOAD = '10m';

function activityFor(
  { system, partnerAccount, key, operation, toProduction, startWithin }: Wanted,
  request: PartnerCall['request'],
): SingleActivity {
  const name = operationName(key);
  const call: PartnerCall = { system, operation: name, request, ...(toProduction && { toProduction }) };
  return {
    activity: 'callPartner',
    queue: system,
    account: partnerAccount,
    args: [call],
    summary: `${system} ${name}`,
    options: {
      scheduleToStartTimeout: startWithin,
      scheduleToCloseTimeout: DOWNLOAD,
      startToCloseTimeout: operation.answer === 'stream' ? DOWNLOAD : CALL,
      // What must not happen twice is tried once, and is not given up while the partner responds (activities/write.ts).
      ...(operation.effect === 'once'
        ? { retry: { maximumAttempts: 1 } }
        : { heartbeatTimeout: '10s', retry: { initialInterval: '1s', maximumInterval: '1m' } }),
    },
  };
}

/** Has a worker make the call, and returns what came back. @throws {CommandFailed} */
export function callByWorker(cli: CommandLine, wanted: Wanted): Promise<Answered> {
  return withTemporal(cli, async (context) => {
    const { documentDir, s3Endpoint } = context.config;
    const documents = documentStore(await openStore(documentDir, s3Endpoint, cli.env));
    const single = activityFor(wanted, await toSend(wanted.request, documents));
    const answer = await runSingle<PartnerResponse>(context, wanted.id, single).finally(() => {
      if (cli.signal.aborted) cli.note(`it goes on; "gangway call answer ${wanted.id}" waits for it`);
    });
    return answered(context, answer, wanted.output);
  });
}

/** What became of a call that a worker made before. @throws {CommandFailed} */
export function answerOf(cli: CommandLine, id: string, output: string | undefined): Promise<Answered> {
  return withTemporal(cli, async (context) =>
    answered(context, await awaitSingle<PartnerResponse>(context, id), output),
  );
}

async function answered(
  { cli, config }: CommandContext,
  done: PartnerResponse,
  output: string | undefined,
): Promise<Answered> {
  if ('response' in done) return done;
  const { fileName, contentType } = done.file;
  const files = await openStore(config.statementDir, config.s3Endpoint, cli.env);
  const response: SavedFile =
    output === undefined
      ? { saved: `${files.place}/${fileName}`, contentType }
      : await save(cli, await files.open(fileName), contentType, output);
  return { response };
}

/** Makes the call from here, without Temporal: nothing is retried, and nobody else sees it. @throws {CommandFailed} */
export async function callFromHere(cli: CommandLine, wanted: Wanted): Promise<Answered> {
  const { system, partnerAccount, key, request, toProduction, output } = wanted;
  const { signal } = cli;
  const clients = partnerClients(accountOf(cli.config(), partnerAccount), traceExchanges);
  const client = clients[system] as PartnerClient<Operations>;
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(warning);
  try {
    const called = client[key]?.(
      { ...request.members, ...request.files },
      { toProduction, signal, knowsDeprecated: true, onWarning },
    );
    const { answer: response, ...refused } = await orRefusal(called);
    if (!isDownload(response)) return { response, ...refused, warnings };
    const { body, contentType } = response;
    return { response: await save(cli, body, contentType, output ?? operationName(key)) };
  } catch (error) {
    throw error instanceof PartnerError ? new CommandFailed(inWords(error.details)) : error;
  } finally {
    await closeAll(clients);
  }
}

/** Others must not read what a partner keeps for its customers. A file that is there already is not written over. */
async function save(
  { signal }: CommandLine,
  body: Readable,
  contentType: string,
  output: string,
): Promise<SavedFile> {
  try {
    await pipeline(body, createWriteStream(output, { mode: 0o600, flags: 'wx' }), { signal });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new CommandFailed(`${output} cannot be written (${code})`);
  }
  return { saved: output, contentType };
}

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

export interface ShowOptions {
  readonly reveal?: true;
  readonly json?: true;
}

/**
 * Prints what came back from a call: the response on standard output, the warnings on standard error.
 *
 * @param id of the call, if its response can be read again
 * @throws {CommandFailed} that names the problems, when the response reports a failure although its HTTP status is a success
 */
export function show(cli: CommandLine, answered: Answered, options: ShowOptions, id?: string): void {
  const { response, warnings = [], refusal } = answered;
  const { reveal, json } = options;
  const shown = reveal ? response : withoutPrivate(response);
  if (json) cli.json(shown);
  else cli.line(JSON.stringify(shown, null, 2));
  for (const warning of warnings) cli.note(`warning: ${reveal ? warning : masked(warning, 'log')}`);
  if (id !== undefined && JSON.stringify(shown) !== JSON.stringify(response)) {
    cli.note(`private members are redacted; "gangway call answer ${id} --reveal" shows them`);
  }
  if (refusal) throw new CommandFailed(inWords(refusal));
  const problems = failureIn(shown);
  if (problems.length > 0) {
    throw new CommandFailed(['the partner reports a failure:', ...problemLines(problems)].join('\n'));
  }
}
