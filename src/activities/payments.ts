import { cancellationSignal } from '@temporalio/activity';
import type { PaymentsActivities } from '../messages/activities.js';
import { terminalPart } from '../messages/inputs.js';
import { operationName } from '../partners/catalogue.js';
import { fieldProblems } from '../partners/client.js';
import { PartnerError } from '../partners/partner-error.js';
import type { PaymentsClient } from '../partners/payments/client.js';
import type { PaymentsOperations } from '../partners/payments/operations.js';
import { repeatable } from './failures.js';
import { write } from './write.js';

/** As many as a page may have (apis/4). */
const PAGE = 200;

/** The payments platform's side of `terminalProvisioning`. Each activity is a call or two and their failures, no more. */
export function paymentsActivities(client: PaymentsClient): PaymentsActivities {
  const signal = () => ({ signal: cancellationSignal() });

  return {
    findAccounts: ({ mid }) =>
      repeatable(async () => {
        const accounts = await allOf(async (offset) => {
          const answer = await client.listAccounts({ search: mid, limit: PAGE, offset }, signal());
          return { things: answer.accounts, total: answer.total };
        });
        // The platform finds these digits anywhere in an account.
        return accounts.filter(({ description }) => isOf(mid, description)).map(({ id }) => id);
      }),

    createAccount: ({ mid, provisionTerminal }) =>
      write(async (options) => {
        const { account, toProduction = false } = checked(provisionTerminal, 'createAccount');
        const description = describing(mid, account.description);
        const { id: accountId } = await of('account', () =>
          client.createAccount({ ...account, type: 'merchant', description }, { ...options, toProduction }),
        );
        return { accountId };
      }),

    findTerminals: ({ accountId, name }) =>
      repeatable(async () => {
        const terminals = await allOf(async (offset) => {
          const wanted = { search: name, account_id: accountId, limit: PAGE, offset };
          const answer = await client.listTerminals(wanted, signal());
          return { things: answer.terminals, total: answer.total };
        });
        const ours = terminals.filter((one) => one.account_id === accountId && one.name === name);
        return ours.map(({ id }) => id);
      }),

    createTerminal: ({ accountId, provisionTerminal }) =>
      write(async (options) => {
        const { terminal, toProduction = false } = checked(provisionTerminal, 'createTerminal');
        const { id: terminalId } = await of('terminal', () =>
          client.createTerminal({ ...terminal, account_id: accountId }, { ...options, toProduction }),
        );
        return { terminalId };
      }),
  };
}

/** The platform has no member for a key of ours, so the account says in words whose it is. */
function describing(mid: string, description?: string): string {
  return description === undefined ? `mid ${mid}` : `${description}, ${describing(mid)}`;
}

function isOf(mid: string, description: unknown): boolean {
  return typeof description === 'string' && `, ${description}`.endsWith(`, ${describing(mid)}`);
}

/** All pages of a listing, up to as many as there are; where that is not told, up to one that is not full. */
async function allOf<Thing>(
  page: (offset: number) => Promise<{ readonly things: readonly Thing[]; readonly total: number | null }>,
): Promise<Thing[]> {
  const all: Thing[] = [];
  for (;;) {
    const { things, total } = await page(all.length);
    all.push(...things);
    if (things.length === 0 || (total === null ? things.length < PAGE : all.length >= total)) return all;
  }
}

/** By now the account has a name: the merchant's dba, when none was given. */
const asked = terminalPart.extend({ account: terminalPart.shape.account.required({ name: true }) });

/**
 * All of it before any of it is written.
 *
 * @throws {PartnerError} whose fields are those of the input
 */
function checked(provisionTerminal: unknown, operation: keyof PaymentsOperations & string) {
  const input = asked.safeParse(provisionTerminal);
  if (input.success) return input.data;
  const fields = fieldProblems(input.error).map(({ field, message }) => ({ field: inInput(field), message }));
  throw new PartnerError({
    system: 'payments',
    operation: operationName(operation),
    kind: 'Rejected',
    fields,
    reason: 'not sent: invalid request',
  });
}

/** Members of the requests that are not of the input. */
const ADDED = ['', 'type', 'account_id'];

/** @throws {PartnerError} whose fields are those of the input */
async function of<Answer>(part: 'account' | 'terminal', call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    const fields = error.fields.map(({ field, message }) => ({
      field: ADDED.includes(field) ? field : inInput(part, field),
      message,
    }));
    throw new PartnerError({ ...error.details, fields }, { cause: error });
  }
}

function inInput(...path: string[]): string {
  return ['provisionTerminal', ...path].filter(Boolean).join('.');
}
