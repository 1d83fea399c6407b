import { randomUUID } from 'node:crypto';
import type { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { customer, merchant } from '../rigs/inputs.js';
import { createRig, type Rig } from '../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ accounts: ['acme', 'north-iso'] });
});
afterAll(() => rig.close());

describe.concurrent('the same externalId in two accounts', () => {
  it('of one account is one: its customer waits for what was boarded before', async () => {
    const input = customer({}, { account: 'acme' });
    const { externalId, boarding } = input;
    await (await rig.board({ externalId, ...boarding, account: 'acme' })).outcome();
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect((await onboarding.state()).timeline[1]).toMatchObject({
      event: 'boarding-attached',
      detail: `merchant-boarding-${externalId}@acme exists already`,
    });
  });
});

describe.concurrent('a workflow that was started without gangway', () => {
  const start = async (
    key: string,
    { account, attribute }: { readonly account?: string; readonly attribute?: string },
  ) => {
    const { externalId, ...input } = merchant();
    return rig.client.workflow.start('merchantBoarding', {
      workflowId: `merchant-boarding-${key}`,
      taskQueue: rig.taskQueue,
      args: [{ externalId, ...input, ...(account && { account }) }],
      ...(attribute && {
        typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: attribute }],
      }),
    });
  };

  it.each([
    ['in its input', { account: 'acme' }, ''],
    ['as a search attribute', { attribute: 'acme' }, ''],
    ['in its input, and another one in its id', { account: 'acme' }, '@north-iso'],
    [
      'in its id that cannot be one',
      {},
      '@North',
      expect.stringMatching(/^account: takes lower-case letters/),
    ],
  ])('is refused where an account is named %s', async (_, named, suffix, message?: unknown) => {
    const handle = await start(`${randomUUID()}${suffix}`, named);
    const { cause } = await handle.result().catch((error: { cause: ApplicationFailure }) => error);
    expect([cause.type, cause.message]).toEqual([
      'InvalidInput',
      message ?? 'account: the workflow id must end in @acme for this account',
    ]);
  });

  it.each([[{}], [{ account: 'acme' }]])('works in the account of its id (%j)', async (named) => {
    const handle = await start(`${randomUUID()}@acme`, named);
    expect(await handle.result()).toMatchObject({ outcome: 'boarded' });
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount)).toBe('acme');
    const { events } = await handle.fetchHistory();
    const queues = events?.flatMap(
      ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.taskQueue?.name ?? [],
    );
    expect(new Set(queues)).toEqual(new Set([`${rig.taskQueue}-boarding-acme`]));
  });
});
