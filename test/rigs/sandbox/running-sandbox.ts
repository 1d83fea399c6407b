import { type SandboxOptions, startSandbox } from '../../../src/apps/sandbox/server.js';
import { type Reply, send, sendJson } from '../send.js';
import { testEnds, type Until } from '../shared.js';

export type { Reply };

/** `Authorization` headers; the last two belong to no user. */
export const AUTHORIZATION = {
  sandbox: 'Basic c2FuZGJveDpzYW5kYm94',
  'other-iso': 'Basic b3RoZXItaXNvOm90aGVyLWlzbw==',
  'read-only': 'Basic cmVhZC1vbmx5OnJlYWQtb25seQ==',
  'wrong password': 'Basic c2FuZGJveDpndWVzcw==',
  nobody: undefined,
} as const;

export type Caller = keyof typeof AUTHORIZATION;

export interface RunningSandbox {
  readonly url: string;
  /** `call('POST /api/v1/merchant/create', '{"dba":...}')`; throws when the connection is cut. */
  call(line: string, body?: string | FormData, caller?: Caller): Promise<Reply>;
  /** Calls a control of the sandbox. A refusal fails the test. */
  control<T = unknown>(line: string, body?: string): Promise<T>;
  /** Creates a merchant. @returns its ID */
  create(dba?: string): Promise<number>;
  /** The writes that took effect, as `operation id`. */
  effects(): Promise<string[]>;
  close(): Promise<void>;
}

/** A new sandbox until the running test ends, which calls it with plain HTTP and JSON text. */
export async function runSandbox(
  options: SandboxOptions = {},
  until: Until = testEnds,
): Promise<RunningSandbox> {
  const sandbox = await startSandbox({ pace: { reads: 1 }, ...options });
  until(() => sandbox.close());

  async function call(line: string, body?: string | FormData, caller: Caller = 'sandbox'): Promise<Reply> {
    const authorization = AUTHORIZATION[caller];
    const headers = authorization === undefined ? {} : { authorization };
    return (typeof body === 'string' ? sendJson : send)(sandbox.url, line, body, headers);
  }

  async function control<T>(line: string, body?: string): Promise<T> {
    const { status, text } = await call(line, body, 'nobody');
    if (status > 299) throw new Error(`${line}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  return {
    url: sandbox.url,
    call,
    control,
    async create(dba = 'Corner Bakery') {
      const body = `{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"${dba}","pos":"None","agentProfileId":101,"boardingSettingsId":11}`;
      const { text } = await call('POST /api/v2/merchant/create', body);
      return Number(/"merchantProfileId":(\d+)/.exec(text)?.[1]);
    },
    async effects() {
      const entries = await control<{ operation: string; id: number }[]>('GET /sandbox/ledger');
      return entries.map(({ operation, id }) => `${operation} ${id}`);
    },
    close: () => sandbox.close(),
  };
}
