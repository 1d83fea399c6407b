import { expect, it } from 'vitest';
import { callActivities } from '../../../src/activities/cli-calls.js';
import { boardingOperations } from '../../../src/partners/boarding/operations.js';
import type { CallOptions } from '../../../src/partners/client.js';
import { PartnerError, type PartnerErrorDetails } from '../../../src/partners/partner-error.js';
import { environment } from '../../rigs/activities/environment.js';

type Failure = Pick<PartnerErrorDetails, 'kind' | 'atSignIn'>;

/** A call of an operation of the boarding partner: what its client gets, and how the call ends. */
async function call(operation: string, request: object = {}, failure?: Failure) {
  const got: unknown[] = [];
  const respond = async (fields: unknown, { beforeSending }: CallOptions) => {
    await beforeSending?.();
    got.push(fields);
    const details = { system: 'boarding', operation, fields: [], reason: '' };
    if (failure) throw new PartnerError({ ...details, ...failure });
    return {};
  };
  const { callPartner } = callActivities({
    system: 'boarding',
    operations: boardingOperations(),
    client: new Proxy({}, { get: () => respond }),
    documents: { get: async () => 'content' } as never,
    downloads: {} as never,
  });
  const outcome = await environment()
    .run(callPartner, { system: 'boarding' as const, operation, request: request as never })
    .catch((error: unknown) => error);
  return { got, outcome };
}

const MONEY = { exactInteger: '1', unit: 'cent' };
const document = { key: 'k', fileName: 'check.pdf', contentType: 'application/pdf' };
const NOTED = { document, note: 'x' };

it.each([
  [{ exactInteger: '9223372036854775807' }, 9223372036854775807n],
  [{ exactInteger: '-1' }, -1n],
  [{ exactInteger: '1.5' }, { exactInteger: '1.5' }],
  [MONEY, MONEY],
  [{ in: [{ exactInteger: '1' }, null] }, { in: [1n, null] }],
  [{ document }, { fileName: 'check.pdf', contentType: 'application/pdf', content: 'content' }],
  [NOTED, NOTED],
])('a field %j of a request reaches the client as it is meant', async (value, expected) => {
  expect((await call('get-fees', { field: value })).got).toEqual([{ field: expected }]);
});

it.each<[string, Failure, boolean]>([
  ['get-fees', { kind: 'NotSent' }, false],
  ['get-fees', { kind: 'Uncertain' }, false],
  ['get-fees', { kind: 'Unauthorized' }, true],
  ['get-fees', { kind: 'Forbidden' }, true],
  ['get-fees', { kind: 'Forbidden', atSignIn: true }, true],
  ['create-merchant', { kind: 'NotSent' }, false],
  ['create-merchant', { kind: 'Uncertain' }, true],
])('a call of %s that ends as %j is final: %s', async (operation, failure, nonRetryable) => {
  const { outcome } = await call(operation, {}, failure);
  expect(outcome).toMatchObject({ nonRetryable, details: [failure] });
});
