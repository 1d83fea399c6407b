import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { z } from 'zod';
import type { EnsureWebhooksInput, WebhookRequest } from '../../messages/banking-activities.js';
import { externalId } from '../../messages/inputs.js';
import { addressChange, cardClosing, cardNickname, webhook } from '../../partners/banking/requests.js';
import { check, numericId, paymentCardId, readJson, sourceName } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { tableOf } from '../cli/output.js';
import { keyOf, type OperationOptions, runOperation, withAgain, withOperationOptions } from './operation.js';

const naming = z.object({
  card: paymentCardId,
  name: cardNickname.shape.nickName.refine((name) => name !== '', 'must not be empty; --clear clears it'),
});

interface NicknameOptions extends OperationOptions {
  readonly clear?: true;
}

export function cardNicknameCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('card-nickname')
    .summary('give a card a nickname, or clear it')
    .description('Give a payment card a nickname, or clear it with --clear.')
    .argument('<card>', 'id of the card, paymentCardId')
    .argument('[name]', 'the nickname, at most 18 characters')
    .option('--clear', 'take the nickname away');
  withOperationOptions(command).action((card: string, name: string | undefined, options: NicknameOptions) =>
    setNickname(cli, card, name, options),
  );
}

async function setNickname(
  cli: CommandLine,
  card: string,
  name: string | undefined,
  { clear, ...options }: NicknameOptions,
): Promise<void> {
  if ((name === undefined) === (clear === undefined)) throw new InvalidInput('give either a name or --clear');
  const asked = check(naming, { card, name: name ?? null }, 'card-nickname');
  const input = { paymentCardId: asked.card, nickName: asked.name ?? null };
  await runOperation<{ readonly paymentCardId: string; readonly last4: string | null }>(
    cli,
    {
      start: {
        type: 'setCardNickname',
        key: `${asked.card}-${keyOf(input)}`,
        args: [input],
        summary: `${clear ? 'clear' : 'set'} the nickname of card ${asked.card}`,
      },
      done: ({ paymentCardId: named, last4 }) => {
        const which = last4 === null ? named : `${named}, which ends in ${last4},`;
        return clear ? `card ${which} has no nickname` : `card ${which} is called ${JSON.stringify(name)}`;
      },
    },
    options,
  );
}

const closing = z.object({
  card: paymentCardId,
  '--confirm': z
    .string('is required, for closing a card cannot be undone: give the last 4 digits on the card')
    .regex(/^\d{4}$/, 'must be the last 4 digits on the card'),
  '--notes': cardClosing.shape.notes,
});

interface CloseCardOptions extends OperationOptions {
  readonly confirm?: string;
  readonly notes?: string;
}

export function closeCardCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('close-card')
    .summary('close a card for good')
    .description(
      'Close a payment card. This cannot be undone. The same card attaches to the first closing, ' +
        'running or done; after a rejected one it is tried anew.',
    )
    .argument('<card>', 'id of the card, paymentCardId')
    .option('--confirm <last4>', 'the last 4 digits on the card, which the partner compares')
    .option('--notes <text>', 'why, at most 600 characters; kept by the partner');
  withOperationOptions(withAgain(command)).action((card: string, options: CloseCardOptions) =>
    closeCard(cli, card, options),
  );
}

async function closeCard(
  cli: CommandLine,
  card: string,
  { confirm, notes, ...options }: CloseCardOptions,
): Promise<void> {
  const asked = check(closing, { card, '--confirm': confirm, '--notes': notes }, 'close-card');
  const input = {
    paymentCardId: asked.card,
    last4: asked['--confirm'],
    ...(notes !== undefined && { notes }),
  };
  await runOperation<{ readonly paymentCardId: string }>(
    cli,
    {
      start: {
        type: 'closeCard',
        key: asked.card,
        args: [input],
        summary: `close card ${asked.card} for good`,
      },
      once: true,
      done: ({ paymentCardId: closed }) => `card ${closed} is closed for good`,
    },
    options,
  );
}

const restoring = z.object({ id: numericId });

export function restoreSubUserCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('restore-sub-user')
    .summary('restore a removed or deactivated sub-user')
    .description('Restore a removed or deactivated authorized sub-user. For administrators at the partner.')
    .argument('<id>', 'id of the sub-user');
  withOperationOptions(command).action((id: string, options: OperationOptions) =>
    restoreSubUser(cli, id, options),
  );
}

async function restoreSubUser(cli: CommandLine, given: string, options: OperationOptions): Promise<void> {
  const { id: subUserId } = check(restoring, { id: given }, 'restore-sub-user');
  await runOperation<{ readonly subUserId: number; readonly note?: string }>(
    cli,
    {
      start: {
        type: 'restoreSubUser',
        key: String(subUserId),
        args: [{ subUserId }],
        summary: `restore sub-user ${subUserId}`,
      },
      done: ({ note }) => `sub-user ${subUserId} is restored${note ? ` (${note})` : ''}`,
    },
    options,
  );
}

interface ChangeAddressOptions extends OperationOptions {
  readonly id?: string;
}

export function changeAddressCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('change-address')
    .summary('change a postal address')
    .description(
      'Change one’s own postal address, or that of an associated person (see ' +
        'examples/address-change.json). With a secureOperationType and no oneTimeCode the code is asked ' +
        'for: at the terminal if there is one, else as in "gangway inbox".',
    )
    .argument('<file>', 'JSON file, or - for standard input')
    .option(
      '--id <key>',
      'key of this change: the same key attaches to the first one; a new key unless given',
    );
  withOperationOptions(withAgain(command)).action((file: string, options: ChangeAddressOptions) =>
    changeAddress(cli, file, options),
  );
}

async function changeAddress(
  cli: CommandLine,
  file: string,
  { id, ...options }: ChangeAddressOptions,
): Promise<void> {
  const key = check(externalId, id ?? randomUUID(), '--id');
  const input = await readJson(cli, file);
  check(addressChange, withCode(input), sourceName(file));
  await runOperation(
    cli,
    {
      start: { type: 'changeAddress', key, args: [input], summary: 'change an address' },
      once: true,
      done: () => 'the address is changed',
    },
    options,
  );
}

/** What to check in place of a change whose code is to come from a person later. */
function withCode(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('secureOperationType' in input)) return input;
  return { oneTimeCode: '000000', ...input };
}

const webhooks = z.array(webhook).min(1, 'must name a webhook');

const webhooksInMember = z.strictObject({ webhooks });

/** What became of one. */
interface Ensured extends WebhookRequest {
  readonly existed: boolean;
}

export function ensureWebhooksCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('ensure-webhooks')
    .summary('register webhooks at the bank')
    .description(
      'Register the webhooks of FILE (see examples/webhooks.json). One whose url and type are registered ' +
        'already is left as it is, so this is safe to run again.',
    )
    .argument('<file>', 'JSON file with a list of {name, url, notificationType}, or - for standard input');
  withOperationOptions(command).action((file: string, options: OperationOptions) =>
    ensureWebhooks(cli, file, options),
  );
}

async function ensureWebhooks(cli: CommandLine, file: string, options: OperationOptions): Promise<void> {
  const input = webhooksFrom(await readJson(cli, file), sourceName(file));
  const count = input.webhooks.length;
  await runOperation<{ readonly webhooks: readonly Ensured[] }>(
    cli,
    {
      start: {
        type: 'ensureWebhooks',
        key: keyOf(input.webhooks.map(({ name, url, notificationType }) => [name, url, notificationType])),
        args: [input],
        summary: count === 1 ? 'ensure a webhook' : `ensure ${count} webhooks`,
      },
      done: ({ webhooks: ensured }) => `${count} registered\n${tableOf(HEAD, ensured.map(row))}`,
    },
    options,
  );
}

function webhooksFrom(given: unknown, source: string): EnsureWebhooksInput {
  if (Array.isArray(given)) return { webhooks: check(webhooks, given, source) };
  return check(webhooksInMember, given, source);
}

const HEAD = ['name', 'type', 'url', ''];

function row({ name, notificationType, url, existed }: Ensured): string[] {
  return [name, notificationType, url, existed ? 'existed' : 'created'];
}
