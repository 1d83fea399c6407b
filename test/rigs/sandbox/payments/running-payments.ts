import type { SandboxOptions } from '../../../../src/apps/sandbox/server.js';
import { testEnds, type Until } from '../../shared.js';
import { type Keyed, runKeyed } from '../keyed.js';
import type { Reply } from '../running-sandbox.js';

/** Terminals and their account, which exist from the start. */
export const COUNTER = 'terminal-1001';
export const OLD_TILL = 'terminal-1002';
export const ACCOUNT = 'account-1001';

export const keyOf = (key: string) => ({ 'x-svc-api-key': key });

export interface RunningPayments extends Keyed {
  /** Creates a terminal that plays a scenario. @returns its ID */
  terminal(scenario: string): Promise<string>;
  /** Starts a payment of 10.00. @returns its ID */
  start(kind: 'payment' | 'preauth', terminal?: string): Promise<string>;
  /** `act('capture', id, '"amount":5')`: an action with a new `event_id`. */
  act(action: string, id: string, more?: string): Promise<Reply>;
  /** Status, amount, captured and refunded amount. */
  state(id: string): Promise<string>;
}

interface Transaction {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly captured_amount: number;
  readonly refunded_amount: number;
}

/** The payments platform of a new sandbox until the running test ends. */
export async function runPayments(
  options: SandboxOptions = {},
  until: Until = testEnds,
): Promise<RunningPayments> {
  const keyed = await runKeyed(keyOf('sandbox'), options, until);
  const { call } = keyed;
  let events = 0;
  const event = () => {
    events += 1;
    return `"event_id":"event-${events}"`;
  };
  return {
    ...keyed,
    async terminal(scenario) {
      const body = `{"account_id":"${ACCOUNT}","name":"Till [${scenario}]"}`;
      return (await call('POST /v2/terminals', body)).json<{ id: string }>().id;
    },
    async start(kind, terminal = COUNTER) {
      const body = `{"terminal_id":"${terminal}","amount":1000,${event()}}`;
      return (await call(`POST /v3/${kind}`, body)).json<Transaction>().id;
    },
    act: (action, id, more = '') =>
      call(`POST /v3/payments/${id}/${action}`, `{${event()}${more && `,${more}`}}`),
    async state(id) {
      const { status, amount, captured_amount, refunded_amount } = (
        await call(`GET /v1/transactions/${id}`)
      ).json<Transaction>();
      return [status, amount, captured_amount, refunded_amount].join(' ');
    },
  };
}
