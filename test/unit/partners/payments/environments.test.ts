import { expect, it, onTestFinished } from 'vitest';
import { paymentsClient } from '../../../../src/partners/payments/client.js';
import { failureOf, NOWHERE } from '../../../rigs/partners/failure.js';
import { requestOf, WRITES } from '../../../rigs/partners/payments/requests.js';

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
