import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type {
  FileToSend,
  IntegerToSend,
  PartnerCall,
  PartnerResponse,
  SingleActivity,
} from '../../../messages/activities.js';
import { accountOf, closeAll, partnerClients } from '../../../partners/account-settings.js';
import { byHand } from '../../../partners/by-hand.js';
import {
  type FilePart,
  isDownload,
  type Operation,
  type Operations,
  operationName,
  unknownFieldsWarning,
} from '../../../partners/catalogue.js';
import { orRefusal, type PartnerClient } from '../../../partners/client.js';
import { PARTNERS, type SystemName } from '../../../partners/descriptors.js';
import { type DocumentStore, documentStore } from '../../../partners/documents/document-store.js';
import { typeOf } from '../../../partners/documents/document-types.js';
import { traceExchanges } from '../../../partners/exchange-observers.js';
import { failureIn, PartnerError } from '../../../partners/partner-error.js';
import { REQUIRED } from '../../../partners/schema-messages.js';
import { openStore } from '../../../platform/documents/open-store.js';
import { redact } from '../../../platform/privacy/masked.js';
import { withoutPrivate } from '../../../platform/privacy/private-fields.js';
import { flatten } from '../../../services/texts/csv.js';
import { check, InvalidInput, problemLines } from '../../../services/texts/invalid-input.js';
import { harmlessJson } from '../../../services/texts/text.js';
import { resultOfSingle } from '../../../temporal/single-activities.js';
import {
  cannotSave,
  documentIn,
  type PartnerAccountOptions,
  partnerAccountOf,
  readObject,
} from '../cli/arguments.js';
import { atTemporal, type CommandContext, type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { explainActivity, partnerCallFailed } from '../cli/failures.js';
import { runSingle } from '../cli/follow.js';
import type { Flags, Texts } from '../cli/options.js';
import type { Printer, TableColumns, Value } from '../cli/output.js';
import { withProgress } from '../cli/progress.js';
import { type Confirming, confirm } from '../cli/prompts.js';
import { exampleRequest, operationFields } from './call-fields.js';

type ResponseOptions = ShowOptions & Texts<'output'>;

interface CallOptions
  extends ResponseOptions,
    PartnerAccountOptions,
    Confirming,
    Flags<'local' | 'production'>,
    Texts<'record'> {
  readonly startWithin: number;
}

export const showResponse = atTemporal(async (context, id: string, options: ResponseOptions) => {
  const { cli, client } = context;
  const response = await withProgress(cli, `${id}: waits for the response`, () =>
    resultOfSingle<PartnerResponse>(client, id).catch((error: unknown) => {
      throw explainActivity(error, 'of its partner', undefined);
    }),
  );
  show(cli, await withFileSaved(context, response, options.output), options);
});

export function callOf(system: SystemName, key: string, wanted: Operation) {
  return async (cli: CommandLine, value: string, options: CallOptions): Promise<void> => {
    const call = await readCall(cli, system, key, wanted, value, options);
    const { id, name, operation, request, field } = call;
    const { local, record } = options;
    const elsewhere = 'to record the calls of a worker, set GANGWAY_RECORD for it';
    if (record !== undefined && !local) throw new InvalidInput(`--record needs --local; ${elsewhere}`);
    const isProduction = call.account.partners[system]?.environment === 'production';
    if (isProduction && operation.effect !== 'read' && !call.toProduction)
      throw new InvalidInput(`${name} writes to production: confirm it with --production`);
    const unknown = unknownFieldsWarning(operation, request.fields);
    if (unknown !== undefined) cli.note(`warning: ${unknown}`);
    if (operation.irreversible) await confirm(cli, `${operation.summary}: this cannot be undone.`, options);
    if (field && request.fields[field.field] === field.value) {
      const added = JSON.stringify({ [field.field]: field.value });
      cli.note(
        `the request has no ${field.field} and gets a new one; to repeat this call, add ${added} to the request`,
      );
    }
    if (operation.deprecated) cli.note(`${system} ${name} is deprecated: ${operation.deprecated}`);
    const response = await (local ? callFromHere(cli, call) : callByWorker(cli, call));
    const warnings = response.warnings?.filter((warning) => warning !== unknown) ?? [];
    show(cli, { ...response, warnings }, options, local ? undefined : id);
  };
}

type Call = Awaited<ReturnType<typeof readCall>>;

/** Reads what to call, and checks the request. @throws {InvalidInput} */
async function readCall(
  cli: CommandLine,
  system: SystemName,
  key: string,
  wanted: Operation,
  value: string,
  options: CallOptions,
) {
  const name = operationName(key);
  const config = cli.config();
  // The same operation with the settings of our account at the partner.
  const partnerAccount = partnerAccountOf(config, options, `call ${system} ${name}`, 'nothing was sent');
  const account = accountOf(config, partnerAccount);
  const operation = PARTNERS[system].operations(account)[key] ?? wanted;
  const id = `call-${system}-${name}-${randomUUID()}`;
  const { idempotencyKey } = PARTNERS[system];
  const takesKey = operationFields(operation).some((each) => each.name === idempotencyKey);
  const field = idempotencyKey && takesKey ? { field: idempotencyKey, value: randomUUID() } : undefined;
  const request = await readRequest(cli, operation, value, field && { [field.field]: field.value }).catch(
    showingExample(`gangway call ${system} ${name} '${exampleRequest(operation)}'`),
  );
  const { production, record, output, startWithin } = options;
  return {
    id,
    system,
    key,
    name,
    partnerAccount,
    account,
    operation,
    request,
    field,
    toProduction: production === true,
    record,
    output,
    startWithin,
  };
}

/** For `catch`: adds an example to the error of a request that lacks a field. */
function showingExample(example: string) {
  return (error: unknown): never => {
    const lacks = error instanceof InvalidInput && error.problems.some(({ message }) => message === REQUIRED);
    throw lacks ? new InvalidInput(`${error.report}\nfor example: ${example}`) : error;
  };
}

type CallResponse = Exclude<PartnerResponse, { readonly file: unknown }>;

/** The time limit of a call. A large file takes longer. */
const CALL_TIMEOUT = '2m';
const DOWNLOAD_TIMEOUT = '10m';

/** The maximum number of attempts, with a minute of pauses in all, because a person is waiting. */
const ATTEMPTS = 7;

function activityFor(
  { system, partnerAccount, name, operation, toProduction, startWithin }: Call,
  request: PartnerCall['request'],
): SingleActivity {
  const call: PartnerCall = { system, operation: name, request, ...(toProduction && { toProduction }) };
  return {
    activity: 'callPartner',
    queue: system,
    account: partnerAccount,
    args: [call],
    summary: `${system} ${name}`,
    options: {
      scheduleToStartTimeout: startWithin,
      scheduleToCloseTimeout: DOWNLOAD_TIMEOUT,
      startToCloseTimeout: operation.returns === 'stream' ? DOWNLOAD_TIMEOUT : CALL_TIMEOUT,
      // A once-only operation has one attempt, without a heartbeat timeout (activities/write.ts).
      ...(operation.effect === 'once'
        ? { retry: { maximumAttempts: 1 } }
        : { heartbeatTimeout: '10s', retry: { initialInterval: '1s', maximumAttempts: ATTEMPTS } }),
    },
  };
}

function callByWorker(cli: CommandLine, call: Call): Promise<CallResponse> {
  return withTemporal(cli, async (context) => {
    const documents = documentStore(await openStore(context.config.documentDir, cli.env));
    const single = activityFor(call, await toSend(call.request, documents));
    const response = await runSingle<PartnerResponse>(context, call.id, single).finally(() => {
      if (cli.signal.aborted)
        cli.note(`the call continues; "gangway call response ${call.id}" waits for its response`);
    });
    return withFileSaved(context, response, call.output);
  });
}

async function withFileSaved(
  { cli, config }: CommandContext,
  response: PartnerResponse,
  output: string | undefined,
): Promise<CallResponse> {
  if (!('file' in response)) return response;
  const { fileName, contentType } = response.file;
  const files = await openStore(config.statementDir, cli.env);
  if (output === undefined) return { response: { saved: `${files.place}/${fileName}`, contentType } };
  return { response: await save(cli, await files.open(fileName), contentType, output) };
}

/** Makes the call from this process, without Temporal: no retries, and no trace in the Web UI. @throws {PartnerError} */
async function callFromHere(cli: CommandLine, call: Call): Promise<CallResponse> {
  const { system, key, name, account, operation, request, toProduction, record, output } = call;
  const { signal } = cli;
  const clients = partnerClients({ ...account, record: record ?? account.record }, traceExchanges);
  const client = byHand(clients[system] as unknown as PartnerClient<Operations>);
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(warning);
  const options = { toProduction, signal, knowsDeprecated: true, onWarning } as const;
  try {
    const { response, ...refused } = await withProgress(cli, `calling ${system} ${name}`, () =>
      orRefusal(client[key]?.({ ...request.fields, ...request.files }, options)),
    ).catch((error: unknown) => {
      throw error instanceof PartnerError
        ? partnerCallFailed(error.details, operation.effect !== 'once')
        : error;
    });
    if (!isDownload(response)) return { response, ...refused, warnings };
    const { body, contentType } = response;
    return { response: await save(cli, body, contentType, output ?? name) };
  } finally {
    await closeAll(clients);
  }
}

/** Saves a response, readable only by its owner, because it contains customer data. Overwrites no file. */
async function save({ signal }: CommandLine, body: Readable, contentType: string, output: string) {
  const file = createWriteStream(output, { mode: 0o600, flags: 'wx' });
  await pipeline(body, file, { signal }).catch(cannotSave(output));
  return { saved: output, contentType };
}

type GivenRequest = Awaited<ReturnType<typeof readRequest>>;

/**
 * Reads a request, and checks it by every rule of its operation.
 *
 * @param text JSON, `@file`, or `-` for standard input
 * @param defaults fields to add
 * @returns `files` has the contents of file fields, which a request names as `@` and a path
 * @throws {InvalidInput}
 */
async function readRequest(cli: CommandLine, operation: Operation, text: string, defaults: object = {}) {
  const fields: Record<string, unknown> = { ...defaults, ...(await readObject(cli, text, 'request')) };
  const files = operation.encoding === 'multipart' ? await readFiles(fields) : {};
  check(operation.request, { ...fields, ...files }, 'request', 'nothing was sent');
  return { fields, files };
}

async function readFiles(fields: Readonly<Record<string, unknown>>): Promise<Record<string, FilePart>> {
  const named = Object.entries(fields).flatMap(([field, value]) =>
    typeof value === 'string' && value.startsWith('@') ? [[field, value.slice(1)] as const] : [],
  );
  const parts = named.map(async ([field, path]): Promise<[string, FilePart]> => {
    const content = await buffer(documentIn(path, `${field}: ${path}`));
    return [field, { fileName: basename(path), contentType: typeOf(path).contentType, content }];
  });
  return Object.fromEntries(await Promise.all(parts));
}

/** Returns the request for the worker: stores its files in the document store, and keeps all digits of numbers. */
async function toSend({ fields, files }: GivenRequest, documents: DocumentStore) {
  const stored = Object.entries(files).map(async ([name, { fileName, content }]) => {
    const document = await documents.put(fileName, content);
    return [name, { document } satisfies FileToSend] as const;
  });
  return { ...(asJson(fields) as object), ...Object.fromEntries(await Promise.all(stored)) };
}

function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return { exactInteger: String(value) } satisfies IntegerToSend;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inside]) => [field, asJson(inside)]));
}

export interface ShowOptions extends Flags<'table' | 'csv' | 'reveal' | 'json'> {
  /** The field of the response with the records. Default: the response is the list, or the record. */
  readonly list?: string;
}

/** Prints the response of a call, and its warnings. @throws {CommandFailed} if the response reports a failure */
export function show(cli: CommandLine, result: CallResponse, options: ShowOptions, id?: string): void {
  const { response, warnings = [], refusal } = result;
  const { reveal, json, table, csv } = options;
  const value = reveal ? response : withoutPrivate(response);
  if (table || csv) printRecords(cli, value, options);
  else if (json) cli.json(value);
  else cli.line(harmlessJson(JSON.stringify(value, null, 2)));
  for (const warning of warnings) cli.note(`warning: ${reveal ? warning : redact(warning, 'log')}`);
  if (id !== undefined && JSON.stringify(value) !== JSON.stringify(response)) {
    cli.note(`private fields are redacted; "gangway call response ${id} --reveal" shows them`);
  }
  if (refusal) throw partnerCallFailed(refusal, false);
  const problems = failureIn(value);
  if (problems.length > 0)
    throw new CommandFailed(['the partner reports a failure:', ...problemLines(problems)].join('\n'));
}

/** Prints the records of a response: a list, the wanted one in it, or the response as one. @throws {CommandFailed} without it */
function printRecords(printer: Printer, response: unknown, { csv, list }: ShowOptions): void {
  const records = recordsIn(response, list);
  const rows = records.map(flatten);
  const fields = new Set(rows.flatMap((row) => [...row.keys()]));
  // A narrow terminal has room for the first columns.
  const columns: TableColumns<ReturnType<typeof flatten>> = Object.fromEntries(
    [...fields].map((field, index) => [
      field || 'value',
      { value: (row) => shownOf(row.get(field)), priority: index + 1 },
    ]),
  );
  printer.records(rows, { columns, csv, toJson: (row) => records[rows.indexOf(row)] });
}

function recordsIn(response: unknown, list: string | undefined): readonly unknown[] {
  if (Array.isArray(response)) return response;
  if (list === undefined) return [response];
  const fields = Object.entries(response ?? {});
  const lists = fields.filter(([, value]) => Array.isArray(value));
  const [, records] = lists.find(([field]) => field === list) ?? [];
  // An empty response means that there are no records.
  if (records || fields.length === 0) return (records ?? []) as unknown[];
  const names = lists.map(([field]) => field).join(', ') || 'none';
  throw new CommandFailed(`the response has no list ${JSON.stringify(list)}; its lists: ${names}`);
}

/** Keeps the partner's form of a time. In this machine's time zone, a birthday could be the day before. */
function shownOf(value: unknown): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? undefined : JSON.stringify(value);
}
