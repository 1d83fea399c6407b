import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WorkflowType, workflowId } from '../../src/messages/ids.js';
import { business, createRig, customer, type Rig } from '../rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const withoutName = { ...business(), holder: {} };

describe('a workflow that was started without gangway, and with nothing that could work,', () => {
  it.each<[WorkflowType, unknown, string]>([
    ['merchantBoarding', {}, 'externalId: must be a string; merchant: must be an object'],
    ['businessOnboarding', {}, 'externalId: must be a string; holder: must be an object'],
    ['businessOnboarding', withoutName, 'doingBusinessAsName: must be a string'],
    [
      'customerOnboarding',
      null,
      'externalId: must be a string; boarding: must be an object; business: must be an object',
    ],
    ['customerOnboarding', { ...customer(), boarding: {} }, 'merchant: must be an object'],
    ['customerOnboarding', { ...customer(), business: {} }, 'holder: must be an object'],
    ['closeCard', { paymentCardId: 'card-1' }, 'last4: must be a string'],
    [
      'changeAddress',
      [],
      'streetAddress: must be a string; postalCode: must be a string; city: must be a string; state: must be a number',
    ],
    ['setCardNickname', {}, 'paymentCardId: must be a string'],
    ['restoreSubUser', { subUserId: '7' }, 'subUserId: must be a number'],
    ['ensureWebhooks', { webhooks: {} }, 'webhooks: must be an array'],
    [
      'generateStatement',
      {},
      'period: must be a string; financialAccountIds: must be an array; fileFormat: must be a string',
    ],
  ])('(%s, %o) fails, and says what it lacks', async (type, input, why) => {
    const { client, taskQueue } = rig;
    const id = workflowId(type, `${taskQueue}-${why}`);
    const { result } = await client.workflow
      .start(type, { workflowId: id, taskQueue, args: [input] })
      .then((handle) => ({ result: handle.result() }));
    const { cause } = await result.catch((error: { cause: ApplicationFailure }) => error);
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause.type).toBe('InvalidInput');
    expect(cause.message).toBe(why);
  });
});
