import { accountOf } from '../../partners/account-settings.js';
import { type Operation, operationName, unknownFieldsWarning } from '../../partners/catalogue.js';
import { REQUIRED } from '../../partners/rules-in-words.js';
import { PARTNERS, type SystemName } from '../../partners/systems.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { type PartnerAccountOptions, partnerAccountOf } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { type Confirming, confirm } from '../cli/prompts.js';
import { exampleRequest, fieldsOf } from './call-fields.js';
import {
  callByWorker,
  callFromHere,
  callId,
  readRequest,
  responseOf,
  type ShowOptions,
  show,
} from './call-run.js';

interface ResponseOptions extends ShowOptions {
  readonly output?: string;
}

interface CallOptions extends ResponseOptions, PartnerAccountOptions, Confirming {
  readonly local?: true;
  readonly record?: string;
  readonly production?: true;
  readonly startWithin: number;
}

export async function showResponse(cli: CommandLine, id: string, options: ResponseOptions): Promise<void> {
  show(cli, await responseOf(cli, id, options.output), options);
}

export function callOf(system: SystemName, key: string, wanted: Operation) {
  return async (cli: CommandLine, given: string, options: CallOptions): Promise<void> => {
    const name = operationName(key);
    const config = cli.config();
    // The same operation with the settings of our account at the partner.
    const partnerAccount = partnerAccountOf(config, options, `call ${system} ${name}`, 'nothing was sent');
    const account = accountOf(config, partnerAccount);
    const operation = PARTNERS[system].operations(account)[key] ?? wanted;
    const id = callId(system, name);
    const made = idempotencyKey(system, operation, id);
    const request = await readRequest(cli, operation, given, made && { [made.field]: made.value }).catch(
      showingExample(`gangway call ${system} ${name} '${exampleRequest(operation)}'`),
    );
    const { local, record, production: toProduction = false, output, startWithin } = options;
    const elsewhere = 'to record the calls of a worker, set GANGWAY_RECORD for it';
    if (record !== undefined && !local) throw new InvalidInput(`--record needs --local; ${elsewhere}`);
    const isProduction = account.partners[system]?.environment === 'production';
    if (isProduction && operation.effect !== 'read' && !toProduction)
      throw new InvalidInput(`${name} writes to production: confirm it with --production`);
    const unknown = unknownFieldsWarning(operation, request.fields);
    if (unknown !== undefined) cli.note(`warning: ${unknown}`);
    if (operation.irreversible) await confirm(cli, `${operation.summary}: this cannot be undone.`, options);
    if (made && request.fields[made.field] === made.value) {
      const added = JSON.stringify({ [made.field]: made.value });
      cli.note(
        `the request has no ${made.field} and gets a new one; to repeat this call, add ${added} to the request`,
      );
    }
    const call = {
      ...{ id, system, partnerAccount, key, operation, request, toProduction, record, output, startWithin },
    };
    if (operation.deprecated) cli.note(`${system} ${name} is deprecated: ${operation.deprecated}`);
    const response = await (local ? callFromHere(cli, call) : callByWorker(cli, call));
    const warnings = response.warnings?.filter((warning) => warning !== unknown) ?? [];
    show(cli, { ...response, warnings }, options, local ? undefined : id);
  };
}

/** For `catch`: adds an example to the error of a request that lacks a field. */
function showingExample(example: string) {
  return (error: unknown): never => {
    const lacks = error instanceof InvalidInput && error.problems.some(({ message }) => message === REQUIRED);
    throw lacks ? new InvalidInput(`${error.report}\nfor example: ${example}`) : error;
  };
}

/** The key by which the partner recognizes a repeated call. A request without one gets one made from the call's id. */
function idempotencyKey(system: SystemName, operation: Operation, id: string) {
  const key = PARTNERS[system].idempotencyKey;
  if (!key || !fieldsOf(operation).some(({ name }) => name === key.field)) return undefined;
  return { field: key.field, value: key.make(id, operation.path) };
}
