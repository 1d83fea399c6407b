import { partIds } from '../../../src/temporal/onboardings.js';
import { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';

export interface Place {
  readonly id: string;
  readonly account_id?: string;
  readonly [member: string]: unknown;
}

/** The payments platform as anyone else sees it, over HTTP. */
export function platformOf({ client, sandbox }: Rig) {
  async function call<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const headers = { 'x-svc-api-key': 'sandbox', 'content-type': 'application/json' };
    const response = await fetch(sandbox.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Answer;
  }

  return {
    call,

    /** What there is for a merchant, and the writes that made it, as the ledger has them. */
    async of(mid: string | undefined) {
      const { accounts } = await call<{ accounts: Place[] }>(
        'GET',
        `/v1/accounts?limit=200&search=mid ${mid}`,
      );
      const { terminals: all } = await call<{ terminals: Place[] }>('GET', '/v2/terminals?limit=200');
      const terminals = all.filter(({ account_id }) => accounts.some(({ id }) => id === account_id));
      const ids = [...accounts, ...terminals].map(({ id }) => id);
      const writes = (await sandbox.ledger()).filter(({ id }) => ids.includes(String(id)));
      return { accounts, terminals, writes: writes.map(({ operation, id }) => `${operation} ${id}`) };
    },

    /** Names of all the writes there, whoever they were for. */
    async writes(): Promise<string[]> {
      const entries = await sandbox.ledger();
      return entries.filter(({ system }) => system === 'payments').map(({ operation }) => operation);
    },

    /** The part of a customer that sees to its terminal. */
    partOf: ({ workflowId }: Onboarding<unknown>) => new Onboarding(client, partIds(workflowId).terminal),
  };
}
