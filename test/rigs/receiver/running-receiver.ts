import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { type ReceiverOptions, startReceiver } from '../../../src/apps/receiver/server.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import { lazyClient } from '../../../src/temporal/connection.js';
import { followFeePlans } from '../../../src/temporal/fee-plans.js';
import type { Rig } from '../rig.js';
import { type Body, type HeaderLines, type Reply, send } from '../send.js';
import { testEnds, type Until } from '../shared.js';
import { asApp } from '../simulated-place.js';

export type { Reply };

/** The bytes 0 to 31, and 32 to 63, in base64. */
export const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const OTHER_SECRET = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';

export const TOKEN = '6f1d0c5e8b7a4932a1b0c9d8e7f60512';

const SCOPES = ['read', 'private', 'start', 'answer', 'claim', 'approve', 'documents', 'link'];

/** A client with every scope and account, whose token is {@link TOKEN}. */
export const CRM = clientWith({});

/** A line of `API_CLIENTS_FILE`, as `gangway api-clients new` prints it. */
export function clientWith(more: object, token: string = TOKEN): object {
  const tokens = [`sha256:${createHash('sha256').update(token).digest('hex')}`];
  return { name: 'crm', tokens, scopes: SCOPES, ...more };
}

/** A file with these clients. It lasts as long as the process. */
export function clientsFile(clients: readonly object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'gangway-clients-')), 'clients.jsonl');
  writeFileSync(file, clients.map((client) => `${JSON.stringify(client)}\n`).join(''));
  return file;
}

export const STRUCTURED = 'application/cloudevents+json';
export const BATCHED = 'application/cloudevents-batch+json';

/** The problem while Temporal is unavailable. */
export const UNAVAILABLE = {
  type: 'urn:gangway:problem:temporal-unavailable',
  title: 'Temporal is unavailable',
  status: 503,
  detail: 'send the same request again after Retry-After seconds: nothing is lost, and nothing happens twice',
};

/** The problem while an onboarding does not apply an answer. */
export const NOT_APPLIED = {
  ...UNAVAILABLE,
  type: 'urn:gangway:problem:not-applied',
  title: 'It is not known whether the request took effect',
};

const OFF = { senders: [], idFields: [] };
const NO_WEBHOOKS = { banking: OFF, boarding: OFF, processor: OFF };

export interface RunningReceiver {
  readonly url: string;
  /** `call('POST /events', body, headers)`, with nothing added. */
  call(line: string, body?: Body, headers?: HeaderLines): Promise<Reply>;
  /** Posts an event, signed now with {@link SECRET}. */
  post(body: string | Uint8Array<ArrayBuffer>, headers: HeaderLines): Promise<Reply>;
  /** Ends it before the test does. */
  close(): Promise<void>;
  /** The log so far. */
  log(): string;
}

/** The options of a receiver whose client is {@link CRM}. */
export function receiverOptions(
  options: Partial<ReceiverOptions> & Pick<ReceiverOptions, 'client' | 'taskQueue'>,
): ReceiverOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    secrets: [SECRET],
    clientsFile: clientsFile([CRM]),
    people: () => [],
    documentDir: 'documents',
    requestsPerMinute: 1_000,
    trustedProxies: [],
    webhooks: NO_WEBHOOKS,
    dbaForm: 'shown',
    fourEyes: [],
    feePlans: followFeePlans(undefined),
    posNames: [],
    accounts: {},
    logger: createLogger('silent'),
    ...options,
  };
}

/** A receiver of its own, which the test calls by HTTP and JSON text only. */
export async function runReceiver(
  { client, taskQueue }: Pick<Rig, 'client' | 'taskQueue'>,
  options: Partial<ReceiverOptions> = {},
  until: Until = testEnds,
): Promise<RunningReceiver> {
  const lines: string[] = [];
  const logger = createLogger('trace', { write: (line) => void lines.push(line) });
  const settings = receiverOptions({ client, taskQueue, logger, ...options });
  const server = await asApp(() => startReceiver(settings));
  until(() => server.close());
  const call: RunningReceiver['call'] = (line, body, headers) => send(server.url, line, body, headers);
  return {
    url: server.url,
    call,
    post: (body, headers) => call('POST /events', body, { ...headers, ...signed(body) }),
    close: () => server.close(),
    log: () => lines.join(''),
  };
}

/** The headers of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. `at` is in seconds. */
export function signed(
  body: string | Uint8Array<ArrayBuffer>,
  {
    id = 'msg_1',
    at = `${Math.floor(Date.now() / 1_000)}`,
    secret = SECRET,
  }: { readonly id?: string; readonly at?: string; readonly secret?: string } = {},
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
}

/** An event in structured mode. */
export function event(type: string, data: unknown, more: Readonly<Record<string, unknown>> = {}) {
  return { specversion: '1.0', id: 'e-1', source: '/crm', type, data, ...more };
}

/** The fields of a problem. Checks its media type and its status. */
export function problemOf({ status, headers, text }: Reply): unknown {
  const type = headers.get('content-type');
  if (type !== 'application/problem+json') throw new Error(`the response is ${status} with ${type}: ${text}`);
  const problem = JSON.parse(text);
  if (problem.status !== status)
    throw new Error(`the status is ${status}, but the problem has ${problem.status}`);
  return problem;
}

/** A client that connects on first use, like that of the receiver's process. */
export function clientOf(address: string, until: Until = testEnds): Client {
  const client = lazyClient({ TEMPORAL_ADDRESS: address }, undefined);
  until(() => client.connection.close());
  return client;
}
