import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { atAccount, splitAccount } from '../../../messages/ids.js';
import { accountNameSchema, type KnownAccounts } from '../../../messages/inputs.js';
import { checkDocument, documentName, RefusedDocument } from '../../../partners/documents/document-types.js';
import { int32, text } from '../../../partners/field-schemas.js';
import { nearest } from '../../../platform/settings/did-you-mean.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { parseJson, utf8 } from '../../../services/texts/text.js';
import { findNamedOnboarding } from '../../../temporal/find-onboarding.js';
import { problemInQuery } from '../../../temporal/query.js';
import type { CommandContext, CommandLine } from './command-line.js';
import { CommandFailed } from './errors.js';
import type { Flags, Texts } from './options.js';

/** Rules for arguments and options. A problem names the argument or option, such as `--period`. */

export const numericId = z
  .string()
  .regex(/^\d+$/, { error: 'must be a number', abort: true })
  .transform(Number)
  .pipe(int32.min(1, 'must be 1 or more'));

/** The partner's ID of a payment card. It becomes part of a workflow ID, which is not encrypted. */
export const paymentCardId = text
  .max(200)
  .regex(/^[^\s@]*$/, 'must not have spaces or @')
  .refine((id) => !isCardNumber(id), 'looks like a card number; use the id of the card, paymentCardId');

/** 13 to 19 digits with the check digit of card numbers (ISO/IEC 7812). */
function isCardNumber(id: string): boolean {
  const digits = id.replaceAll('-', '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = place % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

export const sourceName = (source: string) => (source === '-' ? 'standard input' : source);

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** For `catch`: turns the error of an unreadable file into an {@link InvalidInput} that names the file. */
export function cannotRead(name: string): (error: NodeJS.ErrnoException) => never {
  return ({ code = '' }) => {
    const why = FILE_ERRORS[code];
    const similar = code === 'ENOENT' ? similarFiles(name) : '';
    throw new InvalidInput(`${name}: cannot be read (${code})${why ? `: ${why}${similar}` : ''}`);
  };
}

/** Reads a person's document. @throws {InvalidInput} if it is unreadable, or the document store would refuse it */
export async function* documentIn(file: string, name = file): AsyncGenerator<Buffer> {
  try {
    yield* checkDocument(documentName(basename(file)), createReadStream(file));
  } catch (error) {
    if (error instanceof RefusedDocument) throw new InvalidInput(`${name}: ${error.message}`);
    cannotRead(name)(error as NodeJS.ErrnoException);
  }
}

/**
 * Saves a file that only its owner can read. It replaces a file of the same name once it is complete. A special file, such as
 * `/dev/stdout`, gets the content as it arrives.
 *
 * @throws {InvalidInput}
 */
export async function saveOutputFile(file: string, content: string | AsyncIterable<string>): Promise<void> {
  const result = await stat(file).catch(() => undefined);
  const target = result?.isFile() ? await realpath(file) : file;
  // A short name, because the file's name may already have the maximum length.
  const unfinished = join(dirname(target), `${randomUUID()}.part`);
  try {
    if (result && !result.isFile()) return await writeFile(file, content);
    await writeFile(unfinished, content, { mode: 0o600, flag: 'wx', flush: true });
    await rename(unfinished, target);
  } catch (error) {
    // Report the first failure.
    await rm(unfinished, { force: true }).catch(() => undefined);
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new InvalidInput(`${file}: cannot be written (${code})`);
  }
}

/** For `catch`: turns the error of a new file that cannot be written into a {@link CommandFailed}. */
export function cannotSave(name: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === undefined ? error : new CommandFailed(`${name}: cannot be written (${error.code})`);
  };
}

function similarFiles(file: string): string {
  const folder = dirname(file);
  try {
    const names = nearest(basename(file), readdirSync(folder)).map((name) => join(folder, name));
    return names.length > 0 ? `; did you mean ${names.join(' or ')}?` : '';
  } catch {
    return `, and no folder ${folder}`;
  }
}

/** Reads JSON from a file, or from standard input for `-`. @throws {InvalidInput} */
export async function readJson(cli: Pick<CommandLine, 'input'>, source: string): Promise<unknown> {
  const name = sourceName(source);
  const reading = source === '-' ? cli.input() : readFile(source);
  return parseJson(utf8(await reading.catch(cannotRead(name)), name), name);
}

/** Reads an object from an argument: JSON, `@file`, or `-` for standard input. @throws {InvalidInput} */
export async function readObject(cli: Pick<CommandLine, 'input'>, input: string, name: string) {
  const isSource = input === '-' || input.startsWith('@');
  const source = input.replace(/^@/, '');
  const value = isSource ? await readJson(cli, source) : parseJson(input, name);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidInput(`${isSource ? sourceName(source) : name}: must be a JSON object`);
}

/** Quotes an argument for a shell. */
export function shellWord(argument: string): string {
  return /^[\w./@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

export type PartnerAccountOptions = Texts<'partnerAccount'>;

/** Returns the account in the option. @throws {InvalidInput} if unknown */
export function partnerAccountOf(
  accounts: KnownAccounts,
  { partnerAccount }: PartnerAccountOptions,
  what: string,
  effect?: string,
): string | undefined {
  const option = z.object({ '--partner-account': accountNameSchema(accounts) });
  return check(option, { '--partner-account': partnerAccount }, what, effect)['--partner-account'];
}

/** Returns an ID with the account in the option: `m-1001@acme`. @throws {InvalidInput} if the ID names another account */
export function idInAccount(accounts: KnownAccounts, id: string, options: PartnerAccountOptions): string {
  const account = partnerAccountOf(accounts, options, id, 'nothing was done');
  const { key, account: ofId } = splitAccount(id);
  if (account === undefined || ofId === account) return id;
  if (ofId === undefined) return atAccount(key, account);
  throw new InvalidInput(`--partner-account ${account}: ${id} belongs to account ${ofId}`);
}

export type IdOptions = PartnerAccountOptions & Flags<'json'>;

/** Finds the workflow of `<id>`, and the shortest name to type for it. @throws {UnknownOnboarding} for none or several */
export async function findById(
  { client, config }: CommandContext,
  id: string,
  options: PartnerAccountOptions,
) {
  const value = idInAccount(config, id, options);
  const execution = await findNamedOnboarding(client, value, Object.keys(config.accounts));
  return Object.assign(execution, { typed: shellWord(value) });
}

/** For `catch`: rewords the error of a list whose typed query the server rejects. */
export function explainQuery(client: Client, query: string, typed: string | undefined) {
  return async (error: unknown): Promise<never> => {
    const problem = typed && (await problemInQuery(client, error, { query, typed }));
    throw problem ? new InvalidInput(`--query: ${problem}`) : error;
  };
}
