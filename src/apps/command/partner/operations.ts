import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EnsuredWebhook } from '../../../messages/banking-activities.js';
import { externalId } from '../../../messages/inputs.js';
import { omitUndefined } from '../../../messages/objects.js';
import {
  type OperationName,
  type OperationOutcome,
  type OperationRequest,
  type OperationResult,
  purposeOf,
} from '../../../messages/partner-operations.js';
import { addressChange, cardClosing, cardNickname, webhook } from '../../../partners/banking/requests.js';
import { userName } from '../../../services/texts/display-names.js';
import { check, InvalidInput, problemLines } from '../../../services/texts/invalid-input.js';
import { type OperationStart, startOperation } from '../../../temporal/start.js';
import {
  type IdOptions,
  numericId,
  partnerAccountOf,
  paymentCardId,
  readJson,
  sourceName,
} from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { followStarted } from '../cli/follow.js';
import type { Flags, Texts } from '../cli/options.js';
import { reportProgress, UNKNOWN_START } from '../cli/progress.js';
import { type Confirming, confirm } from '../cli/prompts.js';

export interface Operation<Name extends OperationName> extends OperationStart<Name> {
  readonly done: (result: OperationResult<Name>, cli: CommandLine) => string;
  /** Running it again reports the first operation. Default: repeats the operation. */
  readonly once?: true;
}

export interface OperationOptions extends IdOptions, Flags<'again'> {
  readonly wait: boolean;
}

/** Runs an operation, and waits for its outcome. @throws {CommandFailed} if it was rejected, abandoned or stopped */
export async function runOperation<Name extends OperationName>(
  cli: CommandLine,
  { done, once, ...start }: Operation<Name>,
  { wait, again, json, ...options }: OperationOptions,
): Promise<void> {
  const account = partnerAccountOf(cli.config(), options, purposeOf(start));
  const restart = once ? 'start it again with --again' : 'run the same command to start it again';
  await reportProgress(cli, (isNow) =>
    withTemporal(cli, async (context) => {
      const { client, config } = context;
      const { taskQueue, fourEyes } = config;
      const place = { taskQueue, fourEyes, again: !once || again === true, actor: userName() };
      isNow(UNKNOWN_START);
      const started = await startOperation(client, { ...start, account }, place);
      isNow(undefined);
      const { workflowId } = started;
      const how = { wait, json, restart, terminal: json ? undefined : cli.terminal };
      const outcome = await followStarted<OperationOutcome<OperationResult<Name>>>(context, started, how);
      if (outcome?.outcome === 'done' && !json) cli.line(`${workflowId} done: ${done(outcome, cli)}`);
      if (outcome?.outcome === 'rejected') {
        const { problems } = outcome;
        const lines = problems.length > 0 ? problemLines(problems) : ['  the partner gave no reason'];
        throw new CommandFailed([`${workflowId} rejected:`, ...lines].join('\n'));
      }
      if (outcome?.outcome === 'abandoned') {
        const next = once ? `; ${restart}` : '';
        throw new CommandFailed(`${workflowId} abandoned: ${outcome.comment}${next}`);
      }
    }),
  );
}

/** Returns the same key for the same content, without revealing it. */
export function contentKey(content: unknown): string {
  return hash('sha256', JSON.stringify(content)).slice(0, 16);
}

const naming = z.object({
  card: paymentCardId,
  name: cardNickname.shape.nickName.refine((name) => name !== '', 'must not be empty; --clear removes it'),
});

export async function setCardNickname(
  cli: CommandLine,
  card: string,
  name: string | undefined,
  { clear, ...options }: OperationOptions & Flags<'clear'>,
): Promise<void> {
  if ((name === undefined) === (clear === undefined)) throw new InvalidInput('give either a name or --clear');
  const { card: paymentCardId, name: nickName = null } = check(
    naming,
    { card, name: name ?? null },
    'card-nickname',
  );
  const request = { paymentCardId, nickName };
  await runOperation(
    cli,
    {
      operation: 'card-nickname',
      key: `${paymentCardId}-${contentKey(request)}`,
      request,
      done({ paymentCardId: named, last4 }) {
        const which = last4 === null ? named : `${named}, which ends in ${last4},`;
        return clear ? `card ${which} has no nickname` : `card ${which} is called ${JSON.stringify(name)}`;
      },
    },
    options,
  );
}

const closing = z.object({
  card: paymentCardId,
  '--last4': z
    .string('is required because closing a card cannot be undone: give the last 4 digits on the card')
    .regex(/^\d{4}$/, 'must be the last 4 digits on the card'),
  '--notes': cardClosing.shape.notes,
});

export async function closeCard(
  cli: CommandLine,
  card: string,
  { last4: digits, notes, yes, ...options }: OperationOptions & Confirming & Texts<'last4' | 'notes'>,
): Promise<void> {
  const value = check(closing, { card, '--last4': digits, '--notes': notes }, 'close-card');
  const { card: paymentCardId, '--last4': last4 } = value;
  await confirm(cli, `This closes card ${paymentCardId}, which ends in ${last4}, for good.`, { yes });
  await runOperation(
    cli,
    {
      operation: 'close-card',
      key: paymentCardId,
      request: { paymentCardId, last4, ...omitUndefined({ notes }) },
      once: true,
      done: ({ paymentCardId: closed }) => `card ${closed} is closed for good`,
    },
    options,
  );
}

export async function restoreSubUser(cli: CommandLine, profileId: string, options: OperationOptions) {
  const { id: subUserId } = check(z.object({ id: numericId }), { id: profileId }, 'restore-sub-user');
  await runOperation(
    cli,
    {
      operation: 'restore-sub-user',
      key: String(subUserId),
      request: { subUserId },
      done: ({ note }) => `sub-user ${subUserId} is restored${note ? ` (${note})` : ''}`,
    },
    options,
  );
}

type ChangeOptions = OperationOptions & Texts<'id'>;

export async function changeAddress(cli: CommandLine, file: string, { id, ...options }: ChangeOptions) {
  const key = check(externalId, id ?? randomUUID(), '--id');
  const input = await readJson(cli, file);
  check(addressChange, withCode(input), sourceName(file));
  const request = input as OperationRequest<'change-address'>;
  const done = () => 'the address is changed';
  await runOperation(cli, { operation: 'change-address', key, request, once: true, done }, options);
}

/** Adds a placeholder for the one-time code, so that a change can be checked before a person enters the code. */
function withCode(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('secureOperationType' in input)) return input;
  return { oneTimeCode: '000000', ...input };
}

const webhooks = z.array(webhook).min(1, 'must name a webhook');

export async function ensureWebhooks(cli: CommandLine, file: string, options: OperationOptions) {
  const value = await readJson(cli, file);
  const source = sourceName(file);
  const request = Array.isArray(value)
    ? { webhooks: check(webhooks, value, source) }
    : check(z.strictObject({ webhooks }), value, source);
  const count = request.webhooks.length;
  await runOperation(
    cli,
    {
      operation: 'ensure-webhooks',
      request,
      key: contentKey(
        request.webhooks.map(({ name, url, notificationType }) => [name, url, notificationType]),
      ),
      done: ({ webhooks: ensured }, { fitted }) =>
        `${count} registered\n${fitted(['name', 'type', 'url', ''], ensured.map(row))}`,
    },
    options,
  );
}

function row({ name, notificationType, url, existed }: EnsuredWebhook): string[] {
  return [name, notificationType, url, existed ? 'existed' : 'created'];
}
