import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { accepted, type Caller, startCaller } from '../../../rigs/nexus/caller.js';
import type { Called, Seen } from '../../../rigs/nexus/workflows.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { createRig, type Rig } from '../../../rigs/rig.js';

let rig: Rig;
let caller: Caller;

beforeAll(async () => {
  rig = await createRig({ accounts: ['acme'], dbaForm: 'masked' });
  caller = await startCaller(rig);
});
afterAll(() => rig.close());

const text = (answer: string) => ({ kind: 'text', text: answer }) as const;

/** Answers all notes of a boarding. */
async function answerNotes(boarding: Onboarding): Promise<void> {
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  for (const { id } of requirements) await boarding.resolve(id, text('One sale in ten.'));
}

function failuresOf(called: Called): readonly Seen[] {
  return 'failures' in called ? called.failures : [];
}

/** How many callers the end of a workflow is reported to. */
async function callersOf({ handle }: Onboarding): Promise<number> {
  return ((await handle.describe()).raw.callbacks ?? []).length;
}

describe('an onboarding that a workflow of another namespace starts', () => {
  it.each([
    ['boardMerchant', 'merchant-boarding', { outcome: 'boarded' }, merchant],
    ['onboardBusiness', 'business-onboarding', { outcome: 'onboarded' }, business],
    ['onboardCustomer', 'customer-onboarding', { outcome: 'onboarded' }, customer],
  ] as const)('%s completes with the outcome', async (operation, prefix, outcome, callback) => {
    const input = callback();
    const called = await caller.call(operation, input);
    expect(called).toMatchObject({ result: outcome });
    const onboarding = new Onboarding(rig.client, `${prefix}-${input.externalId}`);
    expect(called).toEqual({ result: await onboarding.outcome() });
  });

  it('looks like one that was started otherwise', async () => {
    const input = merchant('notes', { account: 'acme' });
    const operation = await caller.start('boardMerchant', input);
    await accepted(operation);
    const other = await rig.board(merchant('notes', { account: 'acme' }));
    const own = new Onboarding(rig.client, `merchant-boarding-${input.externalId}@acme`);
    const [one, another] = await Promise.all(
      [own, other].map(async (onboarding) => {
        const description = await onboarding.handle.describe();
        const { events } = await onboarding.handle.fetchHistory();
        const started = events?.[0]?.workflowExecutionStartedEventAttributes;
        return {
          type: description.type,
          taskQueue: description.taskQueue,
          summary: await description.staticSummary(),
          memo: Object.keys(started?.memo?.fields ?? {}),
          attributes: Object.entries(started?.searchAttributes?.indexedFields ?? {})
            .map(([name, { data }]) => [name, Buffer.from(data ?? []).toString()])
            .sort(),
          header: Object.keys(started?.header?.fields ?? {}),
          priority: started?.priority,
          encoding: (started?.input?.payloads ?? []).map(({ metadata }) =>
            Buffer.from(metadata?.['encoding'] ?? []).toString(),
          ),
        };
      }),
    );
    expect(await caller.call('getStatus', { id: input.externalId })).toMatchObject({
      result: { workflowId: own.workflowId },
    });
    expect(one).toEqual(another);
    expect(one).toMatchObject({
      memo: ['dba'],
      attributes: expect.arrayContaining([['PartnerAccount', '"acme"']]),
      encoding: ['binary/encrypted'],
    });
    expect(JSON.stringify(one?.attributes)).not.toContain('Bakery');
  });

  it('is the same for all callers, while it runs and afterwards, and writes once', async () => {
    const input = merchant('notes');
    const boarding = new Onboarding(rig.client, `merchant-boarding-${input.externalId}`);
    const first = await caller.start('boardMerchant', input);
    await accepted(first);
    const second = await caller.start('boardMerchant', input);
    await accepted(second);
    expect(await callersOf(boarding)).toBe(2);
    await answerNotes(boarding);
    const outcome = await boarding.outcome();
    const results = [first.result(), second.result(), caller.call('boardMerchant', input)];
    expect(await Promise.all(results)).toEqual(Array(3).fill({ result: outcome }));
    const writes = await rig.sandbox.writes(input.externalId);
    expect(writes.filter((write) => write === 'create-merchant')).toHaveLength(1);
    const { raw } = await boarding.handle.describe();
    expect(raw.workflowExecutionInfo?.executionTime).toEqual(raw.workflowExecutionInfo?.startTime);
  });

  it('is canceled when its caller is', async () => {
    const input = merchant('notes');
    const operation = await caller.start('boardMerchant', input);
    await accepted(operation);
    await operation.cancel();
    expect(failuresOf(await operation.result()).map((failure) => failure.class)).toEqual([
      'NexusOperationFailure',
      'CancelledFailure',
    ]);
    const boarding = new Onboarding(rig.client, `merchant-boarding-${input.externalId}`);
    expect((await boarding.handle.describe()).status.name).toBe('CANCELLED');
    // A later caller learns the same.
    await expectEnd(input, `${boarding.workflowId} was canceled`, { class: 'CancelledFailure' });
  });

  it('fails for a caller that comes after its end without an outcome', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    await boarding.handle.terminate();
    const failure = { class: 'ApplicationFailure', type: 'OperationError' };
    await expectEnd(input, `${boarding.workflowId} ended without an outcome`, failure);
  });

  async function expectEnd(input: object, why: string, failure: object): Promise<void> {
    const message = `${why}; an operator can start it again with --again`;
    expect(await caller.call('boardMerchant', input)).toMatchObject({
      failures: [{ class: 'NexusOperationFailure' }, { ...failure, message }],
    });
  }
});

describe('a request to start an onboarding', () => {
  it('is refused when fields are missing or wrong, and names all of them without their values', async () => {
    const input = merchant();
    const { dba: _, ...incomplete } = { ...input.merchant, pos: 'private' };
    const called = await caller.call('boardMerchant', { ...input, merchant: incomplete, dueInHours: -1 });
    const errors = [
      { field: 'merchant.dba', message: 'is required' },
      { field: 'merchant.pos', message: 'must be one of None, CustomPos' },
      { field: 'dueInHours', message: 'must be more than 0, in hours' },
    ];
    const message =
      'the request had no effect; merchant.dba: is required; merchant.pos: must be one of None, CustomPos; dueInHours: must be more than 0, in hours';
    expect(called).toEqual({
      failures: [
        expect.objectContaining({ class: 'NexusOperationFailure' }),
        { class: 'HandlerError', type: 'BAD_REQUEST', retryable: false, message },
        { class: 'ApplicationFailure', type: 'invalid', message, details: [errors] },
      ],
    });
    expect(JSON.stringify(called)).not.toContain('private');
    const workflowId = `merchant-boarding-${input.externalId}`;
    await expect(rig.client.workflow.getHandle(workflowId).describe()).rejects.toThrow(/not found/);
  });

  it('is refused when the onboarding runs with another input, and names the fields that differ', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const other = { ...input, merchant: { ...input.merchant, lastName: 'Private' } };
    const called = await caller.call('boardMerchant', other);
    const message =
      'nothing was changed: correct the onboarding by its requirements, or use another externalId; ' +
      'merchant.lastName: differs from the first input';
    expect(called).toMatchObject({
      failures: [
        { class: 'NexusOperationFailure' },
        { class: 'HandlerError', type: 'CONFLICT', retryable: false, message },
        {
          type: 'other-input',
          details: [[{ field: 'merchant.lastName', message: 'differs from the first input' }]],
        },
      ],
    });
    expect(JSON.stringify(called)).not.toContain('Private');
    // The end of the onboarding is not reported to a caller that meant another one.
    expect(await callersOf(boarding)).toBe(0);
  });
});

describe('answerRequirement and getStatus', () => {
  it('answer a requirement, and show the state', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const who = { actor: 'olga', reason: 'the merchant said so' };
    for (const [index, { id: requirementId }] of requirements.entries()) {
      const options = { id: input.externalId, requirementId, answer: text('One sale in ten.'), ...who };
      const result = { requirementId, acceptedAt: expect.any(String), open: 1 - index };
      expect(await caller.call('answerRequirement', options)).toEqual({ result });
    }
    await boarding.outcome();
    const { workflowId } = boarding;
    expect(await caller.call('getStatus', { id: input.externalId })).toEqual({
      result: { workflowId, ...(await boarding.state()) },
    });
    const { timeline } = await boarding.state();
    expect(timeline.filter(({ actor }) => actor === 'olga')).toHaveLength(2);
  });

  it('are refused with the field that is wrong, or with what does not exist', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [{ id: requirementId } = { id: '' }] = requirements;
    const who = { id: input.externalId, actor: 'olga', reason: 'because' };
    const TAKES = `${requirementId} takes text, documents, abandon`;
    const cases = [
      [
        'answerRequirement',
        { ...who, requirementId, answer: { kind: 'retry' } },
        'BAD_REQUEST',
        { type: 'invalid', details: [[{ field: 'answer.kind', message: TAKES }]] },
      ],
      [
        'answerRequirement',
        { ...who, requirementId: 'none', answer: text('Hm.') },
        'CONFLICT',
        { type: 'not-open', message: 'no requirement with this ID is open' },
      ],
      ['getStatus', { id: 'unknown-to-all' }, 'NOT_FOUND', { type: 'unknown-onboarding' }],
      ['getStatus', {}, 'BAD_REQUEST', { details: [[{ field: 'id', message: 'is required' }]] }],
    ] as const;
    for (const [operation, options, type, why] of cases) {
      const [, refused, cause] = failuresOf(await caller.call(operation, options));
      expect([refused?.type, cause]).toEqual([type, expect.objectContaining(why)]);
    }
    expect((await boarding.state()).requirements).toHaveLength(2);
  });
});
