import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { workflowId } from '../../src/messages/ids.js';
import type { WorkflowType } from '../../src/messages/workflow-types.js';
import { business, customer, merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

const withoutName = { ...business(), holder: {} };

describe('a workflow that was started without gangway, and with nothing that could work,', () => {
  it.each<[WorkflowType, string, unknown]>([
    ['merchantBoarding', 'externalId: must be a string; merchant: must be an object', {}],
    ['businessOnboarding', 'externalId: must be a string; holder: must be an object', {}],
    ['businessOnboarding', 'doingBusinessAsName: must be a string', withoutName],
    [
      'customerOnboarding',
      'externalId: must be a string; boarding: must be an object; business: must be an object',
      null,
    ],
    ['customerOnboarding', 'merchant: must be an object', { ...customer(), boarding: {} }],
    ['customerOnboarding', 'holder: must be an object', { ...customer(), business: {} }],
    ...[7, null, '', 'Acme', 'north_iso'].map((account): [WorkflowType, string, unknown] => [
      'merchantBoarding',
      'account: takes lower-case letters, digits and single hyphens in between, begins with a letter and has 20 characters at most',
      { ...merchant(), account },
    ]),
    ['partnerOperation', 'operation: must be a string; request: must be an object', null],
    ['partnerOperation', 'operation: there is no toString', { operation: 'toString', request: {} }],
    ...(
      [
        ['close-card', 'last4: must be a string', { paymentCardId: 'card-1' }],
        [
          'change-address',
          'streetAddress: must be a string; postalCode: must be a string; city: must be a string; state: must be a number',
          {},
        ],
        ['card-nickname', 'paymentCardId: must be a string', {}],
        ['restore-sub-user', 'subUserId: must be a number', { subUserId: '7' }],
        ['ensure-webhooks', 'webhooks: must be an array', { webhooks: {} }],
        [
          'statement',
          'period: must be a string; financialAccountIds: must be an array; fileFormat: must be a string',
          {},
        ],
      ] as const
    ).map(([operation, why, request]): [WorkflowType, string, unknown] => [
      'partnerOperation',
      why,
      { operation, request },
    ]),
  ])('(%s) fails, and names what it lacks: %s', async (type, why, input) => {
    const { client, taskQueue } = rig;
    const id = workflowId(type, `${taskQueue}-${randomUUID()}`);
    const handle = await client.workflow.start(type, { workflowId: id, taskQueue, args: [input] });
    const { cause } = await handle.result().catch((error: { cause: ApplicationFailure }) => error);
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause.type).toBe('InvalidInput');
    expect(cause.message).toBe(why);
  });
});
