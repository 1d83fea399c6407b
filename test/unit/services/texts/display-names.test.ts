import { expect, it } from 'vitest';
import { displayName, nameWithId } from '../../../../src/services/texts/display-names.js';

it.each([
  ['merchant-boarding-m-1', 'Acme Bikes', 'Acme Bikes'],
  ['merchant-boarding-m-1', undefined, 'merchant-boarding-m-1'],
  ['operation-close-card-7', undefined, 'operation-close-card-7'],
  ['partner-account-banking', undefined, 'Banking partner'],
  ['partner-record-boarding.gangway@acme', undefined, 'Boarding partner, account acme'],
])('%s of %s is called %s', (workflowId, dba, name) => {
  expect(displayName({ workflowId, dba })).toBe(name);
  expect(nameWithId({ workflowId, dba })).toBe(name === workflowId ? name : `${name} (${workflowId})`);
});
