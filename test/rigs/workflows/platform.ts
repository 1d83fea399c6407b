import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CustomerOnboardingOutcome } from '../../../src/messages/onboardings.js';
import { customer, terminal } from '../inputs.js';
import type { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';

export type Write = 'create-account' | 'create-terminal';

/** The writes that provision a terminal, and their titles for people. */
export const WRITES = [
  ['create-account', 'create the payments account'],
  ['create-terminal', 'create the terminal'],
] as const;

export const ONCE_EACH: readonly string[] = WRITES.map(([operation]) => operation);

export interface Place {
  readonly id: string;
  readonly account_id?: string;
  readonly [field: string]: unknown;
}

/** A customer with a terminal, and a text that identifies its own write at the platform. */
function identifiable(operation: Write) {
  const name = `Counter ${randomUUID()}`;
  const input = customer({}, { provisionTerminal: terminal({ terminal: { name } }) });
  return { input, about: operation === 'create-account' ? input.boarding.merchant.dba : name };
}

/** The payments platform over HTTP, for callers other than Gangway. */
export function platformOf({ sandbox, onboard }: Rig) {
  async function call<Reply>(method: 'GET' | 'POST', path: string, body?: object): Promise<Reply> {
    const headers = { 'x-svc-api-key': 'sandbox', 'content-type': 'application/json' };
    const response = await fetch(sandbox.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Reply;
  }

  async function accountsWith(text: string): Promise<Place[]> {
    const query = new URLSearchParams({ limit: '200', search: text });
    return (await call<{ accounts: Place[] }>('GET', `/v1/accounts?${query}`)).accounts;
  }

  /** The accounts and terminals of a merchant, and the writes of the ledger that created them. */
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

    /** Onboards a customer. One of its own writes at the platform meets a fault. */
    async meeting(fault: string, operation: Write, more: object = {}) {
      const { input, about } = identifiable(operation);
      await sandbox.plan(fault, operation, { about, ...more });
      return onboard(input);
    },

    /** Onboards a customer. The platform holds one of its own writes. */
    async holding(operation: Write, fault: 'delay' | 'delay-after-commit' = 'delay') {
      const { input, about } = identifiable(operation);
      const held = await sandbox.hold(operation, about, fault);
      return { onboarding: await onboard(input), held };
    },

    of,

    /** Names of all writes for a customer, once it has its terminal. */
    async writesFor(onboarding: Onboarding<CustomerOnboardingOutcome>): Promise<string[]> {
      const { terminal: end } = await onboarding.outcome();
      const { mid, paymentsAccountId: accountId, terminalId } = await onboarding.state();
      expect(end).toEqual({ outcome: 'provisioned', accountId, terminalId });
      const { writes } = await of(mid);
      return writes.map((write) => write.replace(` ${accountId}`, '').replace(` ${terminalId}`, ''));
    },

    /** Names of all writes at the platform. */
    async writes(): Promise<string[]> {
      const entries = await sandbox.ledger();
      return entries.filter(({ system }) => system === 'payments').map(({ operation }) => operation);
    },

    /** Accounts with this text in one of their fields, such as the merchant's name. */
    accountsWith,
  };
}
