import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { accountOf } from '../../config.js';
import { documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/open-store.js';
import type { PartnerAnswer, PartnerCall } from '../../messages/partner-call.js';
import type { SingleActivity } from '../../messages/single-activity.js';
import { isDownload, type Operation, type Operations, operationName } from '../../partners/catalogue.js';
import { orRefusal, type PartnerClient } from '../../partners/client.js';
import { closeAll, partnerClients } from '../../partners/clients.js';
import { PartnerError } from '../../partners/partner-error.js';
import type { SystemName } from '../../partners/systems.js';
import { traceExchanges } from '../../tracing/partners.js';
import type { CommandLine } from '../command-line.js';
import { type CommandContext, withTemporal } from '../context.js';
import { CommandFailed } from '../errors.js';
import { inWords } from '../partner-words.js';
import { awaitSingle, runSingle } from '../single.js';
import { type GivenRequest, toSend } from './request.js';

/** What came back from a call. */
export type Answered = Exclude<PartnerAnswer, { readonly file: unknown }>;

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
    lane: system,
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
    const answer = await runSingle<PartnerAnswer>(context, wanted.id, single).finally(() => {
      if (cli.signal.aborted) cli.note(`it goes on; "gangway call answer ${wanted.id}" waits for it`);
    });
    return answered(context, answer, wanted.output);
  });
}

/** What became of a call that a worker made before. @throws {CommandFailed} */
export function answerOf(cli: CommandLine, id: string, output: string | undefined): Promise<Answered> {
  return withTemporal(cli, async (context) =>
    answered(context, await awaitSingle<PartnerAnswer>(context, id), output),
  );
}

async function answered(
  { cli, config }: CommandContext,
  done: PartnerAnswer,
  output: string | undefined,
): Promise<Answered> {
  if ('answer' in done) return done;
  const { fileName, contentType } = done.file;
  const files = await openStore(config.statementDir, config.s3Endpoint, cli.env);
  const answer: SavedFile =
    output === undefined
      ? { saved: `${files.place}/${fileName}`, contentType }
      : await save(cli, await files.open(fileName), contentType, output);
  return { answer };
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
    const { answer, ...refused } = await orRefusal(called);
    if (!isDownload(answer)) return { answer, ...refused, warnings };
    const { body, contentType } = answer;
    return { answer: await save(cli, body, contentType, output ?? operationName(key)) };
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
