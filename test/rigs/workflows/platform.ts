import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CustomerOnboardingOutcome } from '../../../src/messages/onboardings.js';
import { partIds } from '../../../src/temporal/onboardings.js';
import { customer, terminal } from '../inputs.js';
import { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';

export type Write = 'create-account' | 'create-terminal';

/** The writes of a terminal's provisioning, and what people read of them. */
export const WRITES = [
  ['create-account', 'create the payments account'],
  ['create-terminal', 'create the terminal'],
] as const;

export const ONCE_EACH: readonly string[] = WRITES.map(([operation]) => operation);

export interface Place {
  readonly id: string;
  readonly account_id?: string;
  readonly [member: string]: unknown;
}

/** A customer that asks for a terminal, and what its own write at the platform can be told by. */
function telling(operation: Write) {
  const name = `Counter ${randomUUID()}`;
  const input = customer({}, { provisionTerminal: terminal({ terminal: { name } }) });
  return { input, about: operation === 'create-account' ? input.boarding.merchant.dba : name };
}

/** The payments platform as anyone else sees it, over HTTP. */
export function platformOf({ client, sandbox, onboard }: Rig) {
  async function call<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const headers = { 'x-svc-api-key': 'sandbox', 'content-type': 'application/json' };
    const response = await fetch(sandbox.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Answer;
  }

  async function accountsWith(text: string): Promise<Place[]> {
    const query = new URLSearchParams({ limit: '200', search: text });
    return (await call<{ accounts: Place[] }>('GET', `/v1/accounts?${query}`)).accounts;
  }

  /** What there is for a merchant, and the writes that made it, as the ledger has them. */
  async function of(mid: string | undefined) {
    const accounts = await accountsWith(`mid ${mid}`);
    const { terminals: all } = await call<{ terminals: Place[] }>('GET', '/v2/terminals?limit=200');
    const terminals = all.filter(({ account_id }) => accounts.some(({ id }) => id === account_id));
    const ids = [...accounts, ...terminals].map(({ id }) => id);
    const writes = (await sandbox.ledger()).filter(({ id }) => ids.includes(String(id)));
    return { accounts, terminals, writes: writes.map(({ operation, id }) => `${operation} ${id}`) };
  }

  return {
    call,

    /** Onboards a customer one of whose own writes at the platform meets a fault. */
    async meeting(fault: string, operation: Write, more: object = {}) {
      const { input, about } = telling(operation);
      await sandbox.plan(fault, operation, { about, ...more });
      return onboard(input);
    },

    /** Onboards a customer one of whose own writes at the platform is held there. */
    async holding(operation: Write, fault: 'delay' | 'delay-after-commit' = 'delay') {
      const { input, about } = telling(operation);
      const held = await sandbox.hold(operation, about, fault);
      return { onboarding: await onboard(input), held };
    },

    of,

    /** Every write that was for a customer, by name, once it has its terminal. */
    async writesFor(onboarding: Onboarding<CustomerOnboardingOutcome>): Promise<string[]> {
      const { terminal: end } = await onboarding.outcome();
      const { mid, paymentsAccountId: accountId, terminalId } = await onboarding.state();
      expect(end).toEqual({ outcome: 'provisioned', accountId, terminalId });
      const { writes } = await of(mid);
      return writes.map((write) => write.replace(` ${accountId}`, '').replace(` ${terminalId}`, ''));
    },

    /** Names of all the writes there, whoever they were for. */
    async writes(): Promise<string[]> {
      const entries = await sandbox.ledger();
      return entries.filter(({ system }) => system === 'payments').map(({ operation }) => operation);
    },

    /** Accounts that have this text in one of their members, such as the merchant's name. */
    accountsWith,

    /** The part of a customer that sees to its terminal. */
    partOf: ({ workflowId }: Onboarding<unknown>) => new Onboarding(client, partIds(workflowId).terminal),
  };
}
