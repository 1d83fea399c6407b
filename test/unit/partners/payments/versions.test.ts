import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { byHand } from '../../../../src/partners/by-hand.js';
import { paymentsClient } from '../../../../src/partners/payments/client.js';
import {
  isVersioned,
  type PaymentsCatalogue,
  type VersionedPath,
} from '../../../../src/partners/payments/schemas.js';
import { failureOf, NOWHERE } from '../../../rigs/partners/failure.js';
import { requestOf, WRITES } from '../../../rigs/partners/payments/requests.js';

/** Each prefix of docs/partner-apis.md#payments-platform-rules. */
const THERE_ARE: readonly VersionedPath[] = [
  '/v1/accounts',
  '/v2/accounts',
  '/v1/accounts/a-1',
  '/v2/terminals',
  '/v1/locations',
  '/v1/transactions',
  '/v1/transactions/t-1',
  '/v3/payment',
  '/v3/preauth',
  '/v3/refund',
  '/v1/payments/t-1/capture',
  '/v3/payments/t-1/capture',
  '/v1/batches',
  '/v5/apikeys',
  '/v5/apikeys/k-1',
];

/** Without a version, of another version than the resource has, of another resource, or with something before it. */
const THERE_ARE_NOT = [
  '/accounts',
  '/transactions/t-1',
  '/v5/payments',
  '/v5/terminals',
  '/v5/accounts',
  '/v3/accounts',
  '/v1/terminals',
  '/v2/payments/t-1/capture',
  '/v1/payment',
  '/v4/refund',
  '/v1/apikeys',
  '/v3/paymentsets',
  'v1/accounts',
  '/base/v1/accounts',
  '',
] as const;
// None of them is of the type of a path.
THERE_ARE_NOT satisfies readonly Exclude<(typeof THERE_ARE_NOT)[number], VersionedPath>[];

const SCHEMAS = { request: z.strictObject({}), response: z.unknown() };
const BY_HAND = { summary: 'written by hand', method: 'GET', effect: 'read', ...SCHEMAS } as const;
// @ts-expect-error there is no /v5/terminals
({ wrong: { ...BY_HAND, path: '/v5/terminals' } }) satisfies PaymentsCatalogue;

/** What a caller without types can do: make an operation of any path. */
function callAt(path: string): Promise<unknown> {
  const operations = { byHand: { ...BY_HAND, path } } as unknown as PaymentsCatalogue;
  const client = byHand(paymentsClient({ url: NOWHERE, apiKey: 'k3y', environment: 'uat' }, operations));
  onTestFinished(() => client.close());
  return client['byHand']?.({}) ?? Promise.reject(new Error('no such operation'));
}

describe('a path', () => {
  it.each(THERE_ARE)('%s exists, and is not refused', async (path) => {
    expect(isVersioned(path)).toBe(true);
    expect(await failureOf(callAt(path))).toMatchObject({
      kind: 'NotSent',
      details: { reason: 'ECONNREFUSED' },
    });
  });

  it.each(THERE_ARE_NOT)('"%s" does not exist, and is refused before it is sent', async (path) => {
    expect(isVersioned(path)).toBe(false);
    const error = await failureOf(callAt(path));
    expect(error).toMatchObject({ kind: 'Rejected', status: undefined });
    expect(error.details.reason).toBe(
      'not sent: its path must begin with one of /v1/accounts, /v2/accounts, /v2/terminals, /v1/locations, ' +
        '/v1/transactions, /v3/payment, /v3/preauth, /v1/payments, /v3/payments, /v3/refund, /v1/batches, /v5/apikeys',
    );
  });
});

it.each(WRITES)('production refuses %s before it is sent, unless writes are asked for', async (key) => {
  const client = paymentsClient({ url: NOWHERE, apiKey: 'k3y', environment: 'production' });
  onTestFinished(() => client.close());
  const error = await failureOf(client[key](requestOf(key)));
  expect(error).toMatchObject({ kind: 'Rejected', status: undefined });
  expect(error.message).toMatch(/: Rejected, not sent: a write to production must be requested explicitly$/);
  expect(error.fields).toEqual([
    { field: '', message: 'a write to production must be requested explicitly' },
  ]);
});
