import { expect, it } from 'vitest';
import { nameOf, nameWithId } from '../../../src/texts/names.js';

it.each([
  ['merchant-boarding-m-1', 'Acme Bikes', 'Acme Bikes', 'Acme Bikes (merchant-boarding-m-1)'],
  ['merchant-boarding-m-1', undefined, 'merchant-boarding-m-1', 'merchant-boarding-m-1'],
  ['operation-close-card-7', undefined, 'operation-close-card-7', 'operation-close-card-7'],
  ['partner-account-banking', undefined, 'Banking partner', 'Banking partner (partner-account-banking)'],
  [
    'partner-record-boarding.gangway@acme',
    undefined,
    'Boarding partner, account acme',
    'Boarding partner, account acme (partner-record-boarding.gangway@acme)',
  ],
])('%s of %s is called %s', (workflowId, dba, name, withId) => {
  expect(nameOf({ workflowId, dba })).toBe(name);
  expect(nameWithId({ workflowId, dba })).toBe(withId);
});
