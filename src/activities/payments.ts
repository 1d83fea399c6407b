import { z } from 'zod';
import type { PaymentsActivities } from '../messages/activities.js';
import { terminalPart } from '../messages/inputs.js';
import { operationName } from '../partners/catalogue.js';
import type { CallOptions } from '../partners/client.js';
import { PartnerError } from '../partners/partner-error.js';
import type { PaymentsClient } from '../partners/payments/client.js';
import type { PaymentsOperations } from '../partners/payments/operations.js';
import { checked, naming, repeatable, untilCancelled } from './failures.js';
import { reservationsAt } from './reservations.js';
import { writeOnce } from './write.js';

const PAGE = 200;

/** The activities of `terminalProvisioning` at the payments platform. Each makes a call or two, and translates failures. */
export function paymentsActivities(
  client: PaymentsClient,
  partnerAccount?: string | undefined,
): PaymentsActivities {
  const reservations = reservationsAt('payments', partnerAccount);

  /** Ids of the accounts of a merchant. The platform finds the digits of the mid in any field of an account. */
  async function accountsOf(mid: string, options: CallOptions): Promise<string[]> {
    const all = await allOf(async (offset) => {
      const wanted = { search: mid, limit: PAGE, offset };
      const { accounts, total } = await client.listAccounts(wanted, options);
      return [accounts, total];
    });
    return all.filter(({ description }) => isOf(mid, description)).map(({ id }) => id);
  }

  /** Ids of the terminals of an account with this name. A search without a name would find all terminals. */
  async function terminalsOf(accountId: string, name: string, options: CallOptions): Promise<string[]> {
    if (name === '') return [];
    const all = await allOf(async (offset) => {
      const wanted = { search: name, account_id: accountId, limit: PAGE, offset };
      const { terminals, total } = await client.listTerminals(wanted, options);
      return [terminals, total];
    });
    const matching = all.filter((each) => each.account_id === accountId && each.name === name);
    return matching.map(({ id }) => id);
  }

  return {
    findAccounts: ({ mid }) => repeatable(() => accountsOf(mid, untilCancelled())),

    createAccount: ({ mid, provisionTerminal }) =>
      writeOnce(async (options) => {
        const { account, toProduction = false } = provisioned(provisionTerminal, 'createAccount');
        const found = await accountsOf(mid, { signal: options.signal });
        if (found.length > 0) return { found };
        const description = describing(mid, account.description);
        const { id, description: shown } = await naming(of('account'), () =>
          client.createAccount({ ...account, type: 'merchant', description }, { ...options, toProduction }),
        );
        if (shown && !isOf(mid, shown)) throw ofAnotherMerchant(id);
        return { created: id };
      }),

    findTerminals: ({ accountId, name }) => repeatable(() => terminalsOf(accountId, name, untilCancelled())),

    createTerminal: ({ accountId, isNew, provisionTerminal }) =>
      writeOnce(async (options) => {
        await (isNew ? reservations.holdNew(accountId) : reservations.hold(accountId));
        const { terminal, toProduction = false } = provisioned(provisionTerminal, 'createTerminal');
        const found = await terminalsOf(accountId, terminal.name, { signal: options.signal });
        if (found.length > 0) return { found };
        const { id } = await naming(of('terminal'), () =>
          client.createTerminal({ ...terminal, account_id: accountId }, { ...options, toProduction }),
        );
        return { created: id };
      }),
  };
}

/** The platform has no field for a caller's key, so the description of the account contains the mid. */
function describing(mid: string, description?: string): string {
  return description === undefined ? `mid ${mid}` : `${description}, ${describing(mid)}`;
}

/** An account in the response to a create that has the mid of another merchant. */
function ofAnotherMerchant(id: string): PartnerError {
  const operation = operationName('createAccount');
  const fields = [{ field: '', message: `the account ${id} in the response has another mid` }];
  const reason = 'an account of another merchant';
  return new PartnerError({ system: 'payments', operation, kind: 'Uncertain', status: 200, fields, reason });
}

function isOf(mid: string, description: unknown): boolean {
  return typeof description === 'string' && `, ${description}`.endsWith(`, ${describing(mid)}`);
}

/** All records of a listing: up to its total, or up to a page that is not full. */
async function allOf<Listed>(
  page: (offset: number) => Promise<readonly [records: readonly Listed[], total: number | null]>,
): Promise<Listed[]> {
  const all: Listed[] = [];
  for (;;) {
    const [records, total] = await page(all.length);
    all.push(...records);
    if (records.length === 0 || (total === null ? records.length < PAGE : all.length >= total)) return all;
  }
}

/** The workflow has set the name of the account: by default the merchant's dba. */
const provision = terminalPart.extend({ account: terminalPart.shape.account.required({ name: true }) });

function provisioned(provisionTerminal: unknown, name: keyof PaymentsOperations & string) {
  const operation = { system: 'payments', operation: operationName(name) };
  return checked(z.object({ provisionTerminal: provision }), { provisionTerminal }, operation)
    .provisionTerminal;
}

/** Fields of the requests that the input does not have. */
const ADDED = ['', 'type', 'account_id'];

const of = (part: 'account' | 'terminal') => (field: string) =>
  ADDED.includes(field) ? field : `provisionTerminal.${part}.${field}`;
