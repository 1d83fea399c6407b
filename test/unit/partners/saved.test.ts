import { expect, it } from 'vitest';
import type { Operation } from '../../../src/partners/catalogue.js';
import { savedRecordId } from '../../../src/partners/responses.js';

const CREATE = { effect: 'once', makes: 'merchantProfileId' } as unknown as Operation;

it.each([
  [{ merchantProfileId: 5001 }, '5001'],
  [{ MerchantProfileId: '5001' }, '5001'],
  [{ merchant: { merchantProfileId: 5001 } }, '5001'],
  [5001, '5001'],
  [{ statusDate: '2026-01-31T11:00:00Z', status: 'Pending' }, ''],
  [{ merchantProfileId: 0 }, undefined],
  [{ merchantProfileId: null, requestId: 7, agentProfileId: 101 }, undefined],
  [{ merchantProfileId: '123-45-6789' }, ''],
  [{ merchantProfileId: 'somebody@example.com' }, undefined],
  [{ a: { b: { c: { merchantProfileId: 5001 } } } }, undefined],
  [null, undefined],
  [[], undefined],
  ['saved as 5001', undefined],
])('the sign of a record in the refusal %j is %j', (payload, sign) => {
  expect(savedRecordId(CREATE, payload)).toBe(sign);
});

it('a refused read has none', () => {
  expect(savedRecordId({ ...CREATE, effect: 'read' }, { merchantProfileId: 5001 })).toBeUndefined();
});
