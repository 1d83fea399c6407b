import { describe, expect, it } from 'vitest';
import type { PartEnd } from '../../../src/messages/onboardings.js';
import { ONBOARDINGS } from '../../../src/messages/workflow-types.js';
import {
  type BackedUp,
  backUpOnboardings,
  isGivenUp,
  type RestoreOptions,
  restore,
  sortEntries,
} from '../../../src/temporal/backup.js';
import { acceptAnswer, raiseRequirement, setProposal } from '../../../src/workflows/runtime/requirements.js';
import { business, customer, holder, merchant } from '../../rigs/inputs.js';
import {
  answering,
  execution,
  type Facts,
  grpcError,
  known,
  payloads,
  startIn,
} from '../../rigs/temporal/answering-service.js';
import { cellOf } from '../workflows/stores.js';

describe('a backup', () => {
  /** Search attributes as a history has them. */
  const upserted = (values: Record<string, unknown>) => ({
    upsertWorkflowSearchAttributesEventAttributes: {
      searchAttributes: { indexedFields: execution({ indexed: values }).searchAttributes.indexedFields },
    },
  });
  const began = (input: object) => ({
    workflowExecutionStartedEventAttributes: { input: { payloads: payloads(input) } },
  });
  let updates = 0;
  /** An answer that a workflow accepted, and completed. */
  const answered = (requirementId: string, answer: object) => {
    const updateId = `update-${++updates}`;
    const args = { payloads: payloads({ requirementId, answer }) };
    const input = { name: 'resolveRequirement', args };
    const outcome = { success: { payloads: payloads({}) } };
    return [
      { workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest: { meta: { updateId }, input } } },
      { workflowExecutionUpdateCompletedEventAttributes: { meta: { updateId }, outcome } },
    ];
  };
  const corrected = (requirementId: string, patch: object) =>
    answered(requirementId, { kind: 'correction', patch });

  type Run = readonly [Facts, events?: readonly object[] | undefined];

  /** The backup of these runs, newest first, as Temporal lists them. */
  function entries(...runs: Run[]) {
    const server = answering({
      listWorkflowExecutions: () => ({ executions: runs.map(([facts]) => execution(facts)) }),
      getWorkflowExecutionHistory: ({ execution: { workflowId, runId } }) => {
        const [facts, events = [began({})]] =
          runs.find(([each]) => each.workflowId === workflowId && (each.runId ?? 'run-1') === runId) ?? [];
        if (!facts) throw grpcError('NOT_FOUND');
        return { history: { events } };
      },
    });
    return { ...server, all: Array.fromAsync(backUpOnboardings(server.client, "it's")) };
  }

  it('is of the onboardings of its task queue', async () => {
    const { sent, all } = entries();
    expect(await all).toEqual([]);
    const types = Object.keys(ONBOARDINGS).map((type) => `'${type}'`);
    expect(types).toEqual(expect.arrayContaining(["'merchantBoarding'", "'customerOnboarding'"]));
    const query = `WorkflowType IN (${types.join(', ')}) AND TaskQueue = 'it''s'`;
    expect(sent[0]?.[1]).toMatchObject({ query });
  });

  it('has the facts that the history has, the latest ones, and no others', async () => {
    const events = [
      began({ externalId: 'm-1' }),
      upserted({ OnboardingStage: 'preparing', MerchantProfileId: '1001', Requirements: ['x'] }),
      upserted({ OnboardingStage: 'underwriting', BankingProfileId: '501', Mid: ['900'] }),
    ];
    const indexed = { OnboardingStage: 'boarded', MerchantProfileId: '7' };
    const type = 'merchantBoarding';
    const startedAt = '2026-01-31T10:00:00.000Z';
    expect(await entries([{ workflowId: 'w', status: 'CANCELED', indexed }, events]).all).toEqual([
      {
        workflowId: 'w',
        type,
        status: 'cancelled',
        startedAt,
        stage: 'underwriting',
        merchantProfileId: 1001,
        bankingProfileId: 501,
        mid: '900',
        input: { externalId: 'm-1' },
      },
    ]);
    const [entry] = await entries([{ workflowId: 'w' }, [began({ a: 1 })]]).all;
    expect(entry).toStrictEqual({ workflowId: 'w', type, status: 'running', startedAt, input: { a: 1 } });
  });

  const run = (runId: string, status: Facts['status'] = 'RUNNING', day = '01-31', workflowId = 'w'): Run => [
    { runId, status, startedAt: `2026-${day}T00:00:00Z`, workflowId },
  ];
  it.each<[string, runs: Run[], runIds: string[]]>([
    ['the later run', [run('2', 'RUNNING', '02-01'), run('1', 'FAILED')], ['2']],
    ['the later run, listed second', [run('1', 'FAILED'), run('2', 'FAILED', '02-01')], ['2']],
    ['the first listed of one second', [run('1', 'FAILED'), run('2', 'FAILED')], ['1']],
    ['the run that runs, of one second', [run('1', 'FAILED'), run('2')], ['2']],
    ['the later run, although an earlier one runs', [run('2', 'TERMINATED', '02-01'), run('1')], ['2']],
    ['each workflow', [run('1', 'RUNNING', '01-31', 'a'), run('1', 'RUNNING', '01-31', 'b')], ['1', '1']],
  ])('has %s', async (_, runs, runIds) => {
    const { all, sent } = entries(...runs);
    await all;
    const read = sent.filter(([name]) => name === 'getWorkflowExecutionHistory');
    expect(read.map(([, request]) => request.execution.runId)).toEqual(runIds);
  });

  it('keeps the order of a hundred onboardings, reads sixteen at a time, and holds 64', async () => {
    const ids = Array.from({ length: 100 }, (_, place) => `w-${place}`);
    let [reading, most, read] = [0, 0, 0];
    const { client } = answering({
      listWorkflowExecutions: () => ({ executions: ids.map((workflowId) => execution({ workflowId })) }),
      getWorkflowExecutionHistory: async () => {
        reading += 1;
        most = Math.max(most, reading);
        await new Promise(setImmediate);
        reading -= 1;
        read += 1;
        return { history: { events: [began({})] } };
      },
    });
    const all = await Array.fromAsync(backUpOnboardings(client, 'gangway'));
    expect(all.map(({ workflowId }) => workflowId)).toEqual(ids);
    expect(most).toBe(16);
    read = 0;
    await backUpOnboardings(client, 'gangway').next();
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(read).toBe(64);
  });

  it('fails when a history cannot be read', async () => {
    const { client } = answering({
      ...known({ workflowId: 'a' }, { workflowId: 'b' }),
      getWorkflowExecutionHistory: () => Promise.reject(grpcError('UNAVAILABLE')),
    });
    await expect(Array.fromAsync(backUpOnboardings(client, 'gangway'))).rejects.toThrow(
      'the server rejects it',
    );
  });

  const takenBack = (requirementId: string) => answered(requirementId, { kind: 'take-back' });
  const b = { c: 2 };
  const [one, none, taken] = [corrected('r-1', { a: 2 }), corrected('r-1', { b: null }), takenBack('r-1')];
  const x = corrected('r-2', { x: 1 });
  it.each<[string, answers: object[][], input: object]>([
    ['a correction', [corrected('r-1', { b: { d: 3 } })], { a: 1, b: { c: 2, d: 3 } }],
    ['corrections in their order', [one, corrected('r-2', { a: 3 })], { a: 3, b }],
    ['nothing of another answer', [answered('r-1', { kind: 'retry', patch: { a: 2 } })], { a: 1, b }],
    ['nothing of a correction that was taken back', [one, taken], { a: 1, b }],
    ['the first of two corrections, the second of which was taken back', [one, none, taken], { a: 2, b }],
    ['a correction whose neighbors were taken back', [one, x, taken, takenBack('r-3')], { a: 1, b, x: 1 }],
  ])('has %s in its input', async (_, answers, input) => {
    const { all } = entries([{ workflowId: 'w' }, [began({ a: 1, b }), ...answers.flat()]]);
    expect((await all)[0]?.input).toEqual(input);
  });

  it.each<[string, answers: object[][], input: object]>([
    ['a correction that the run before accepted and did not apply', [], { a: 2 }],
    ['nothing of one that was taken back since', [taken], { a: 1 }],
    ['a later correction', [corrected('r-2', { a: 3 })], { a: 3 }],
  ])('has %s in the input of a continued run', async (_, answers, input) => {
    const { store: cell } = cellOf();
    const ask = (about: string) =>
      cell.update(
        raiseRequirement({
          about,
          kind: 'rejected-input',
          title: 'A',
          detail: 'B',
          answers: ['correction', 'retry'],
        }),
      );
    for (const about of ['r-1', 'r-3', 'r-4']) ask(about);
    const by = { actor: 'olga', reason: 'so' };
    const patched = (patch: object) => ({ kind: 'correction', patch: { ...patch } }) as const;
    cell.update(acceptAnswer({ requirementId: 'r-1', answer: patched({ a: 2 }), ...by }));
    cell.update(setProposal({ requirementId: 'r-3', answer: patched({ z: 1 }), ...by }));
    cell.update(acceptAnswer({ requirementId: 'r-4', answer: { kind: 'retry' }, ...by }));
    const { input: __, ...carriedState } = cell.state;
    const started = {
      workflowExecutionStartedEventAttributes: {
        input: { payloads: [...payloads({ a: 1 }), ...payloads(carriedState)] },
      },
    };
    const { all } = entries([{ workflowId: 'w' }, [started, ...answers.flat()]]);
    expect((await all)[0]?.input).toEqual(input);
  });
});

const AT = '2026-02-01T00:00:00.000Z';
const boarded = merchant(undefined, { externalId: 'm-1' });
const { externalId: _, ...boarding } = boarded;
const both = customer({}, { externalId: 'c-1' });

const entry = (
  type: BackedUp['type'],
  workflowId: string,
  input: object,
  more: Partial<BackedUp> = {},
): BackedUp => ({
  workflowId,
  type,
  status: 'running',
  startedAt: '2026-01-31T10:00:00.000Z',
  input,
  ...more,
});

describe('the order of a restore', () => {
  const ids = (entries: readonly BackedUp[]) => sortEntries(entries).map(({ workflowId }) => workflowId);
  const ofCustomer = (more: Partial<BackedUp> = {}, account = '') =>
    entry('customerOnboarding', `customer-onboarding-c-1${account}`, both, more);

  it('has the parts before their customer', () => {
    const parts = [
      entry('merchantBoarding', 'merchant-boarding-c-1', boarded),
      entry('businessOnboarding', 'business-onboarding-c-1', business()),
    ];
    expect(ids([ofCustomer(), ...parts])).toEqual([
      'merchant-boarding-c-1',
      'business-onboarding-c-1',
      'customer-onboarding-c-1',
    ]);
    expect(ids(parts.slice(1))).toEqual(['business-onboarding-c-1']);
  });

  it.each(['', '@acme'])('has the merchant that had not started, of its customer%s', (account) => {
    const input = { externalId: 'c-1', ...both.boarding };
    const question = entry('merchantBoarding', `merchant-boarding-c-1${account}`, input);
    expect(sortEntries([ofCustomer({}, account)])[0]).toEqual(question);
    // The merchant of another account is another one.
    const other = entry('merchantBoarding', 'merchant-boarding-c-1@zeta', boarded);
    expect(ids([ofCustomer({}, account), other])).toHaveLength(3);
  });

  // Alone catches that a restored merchant of a customer no longer needs a second person.
  it('hands the rule of four eyes on to the merchant that had not started', () => {
    const customer = ofCustomer({ input: { ...both, fourEyes: ['ticket'] } });
    expect(sortEntries([customer])[0]?.input).toMatchObject({ fourEyes: ['ticket'] });
  });

  it('has what the partner has of the merchant that Temporal has forgotten', () => {
    const facts = { merchantProfileId: 1892, mid: '518000000001001' };
    const [first] = sortEntries([ofCustomer({ ...facts, bankingProfileId: 501 })]);
    expect(first).toMatchObject({ workflowId: 'merchant-boarding-c-1', ...facts });
    expect(first).not.toHaveProperty('bankingProfileId');
  });

  const left = { merchantProfileId: 1892 };
  const ABANDONED = { outcome: 'abandoned', comment: null, ...left } as const;
  const completed = { status: 'completed', stage: 'abandoned' };
  it.each<[Partial<BackedUp>, end: PartEnd]>([
    [{ status: 'terminated' }, { how: 'terminated' }],
    [{ status: 'cancelled' }, { how: 'cancelled' }],
    [{ status: 'timed_out' }, { how: 'timed out' }],
    [{ status: 'failed' }, { how: 'cancelled' }],
    [{ status: 'running', stage: 'cancelled' }, { how: 'cancelled' }],
    [completed, { how: 'completed', outcome: ABANDONED }],
  ])('shows a customer how its merchant ended that is not restored: %j', (how, end) => {
    const ended = entry('merchantBoarding', 'merchant-boarding-c-1@acme', boarded, { ...how, ...left });
    const [skipped, restored] = sortEntries([ended, ofCustomer({}, '@acme')]);
    expect(skipped).toEqual(ended);
    expect(restored).toEqual(ofCustomer({ ended: { boarding: { end, facts: left } } }, '@acme'));
    // Not the merchant of another account.
    expect(sortEntries([ended, ofCustomer()]).at(-1)).toEqual(ofCustomer());
  });

  it('shows a customer its business, and no merchant that is restored', () => {
    const done = { status: 'completed', stage: 'boarded' };
    const business501 = { ...completed, bankingProfileId: 501 };
    const parts = [
      entry('merchantBoarding', 'merchant-boarding-c-1', boarded, done),
      entry('businessOnboarding', 'business-onboarding-c-1', business(), business501),
    ];
    const outcome = { outcome: 'abandoned', comment: null, profileId: 501 } as const;
    expect(sortEntries([ofCustomer(), ...parts]).at(-1)?.ended).toEqual({
      business: { end: { how: 'completed', outcome }, facts: { profileId: 501 } },
    });
  });

  it.each<Partial<BackedUp>>([{ status: 'terminated' }, completed])(
    'starts no merchant of a customer that somebody ended: %j',
    (more) => {
      expect(ids([ofCustomer(more)])).toEqual(['customer-onboarding-c-1']);
    },
  );
});

/** The merchant of a customer, which somebody terminated. */
const STOPPED = {
  ended: { boarding: { end: { how: 'terminated' }, facts: { merchantProfileId: 1892 } } },
} as const;

// Proves T5.
describe('a restore', () => {
  /** Restores an entry where Temporal has it, or not. */
  async function restored(of: BackedUp, options: Partial<RestoreOptions> = {}, error?: Error) {
    const { client, sent } = answering({
      startWorkflowExecution: () => (error ? Promise.reject(error) : { runId: 'run-1' }),
    });
    const defaults = { taskQueue: 'gangway', dbaForm: 'shown', backedUpAt: AT } as const;
    const how = await restore(client, of, { ...defaults, ...options });
    return { how, starts: sent.map(([, request]) => startIn(request)) };
  }

  const onboarded = business(undefined, {
    holder: holder(undefined, { doingBusinessAsName: 'Baker & Sons' }),
  });
  const ID = { merchantProfileId: 1001 };
  const [SINCE, PROFILE] = [{ backedUpAt: AT }, { bankingProfileId: 501 }];
  const KNOWN = { ...SINCE, profileId: 501 };
  const imported = { ...boarded, ...ID };
  const question = { ...both, boarding };
  const merchantOf = (input: object, more: Partial<BackedUp> = {}, account = '') =>
    entry('merchantBoarding', `merchant-boarding-m-1${account}`, input, more);
  const businessOf = (more?: Partial<BackedUp>) =>
    entry('businessOnboarding', 'business-onboarding-b-1', onboarded, more);
  const customerOf = (more?: Partial<BackedUp>) =>
    entry('customerOnboarding', 'customer-onboarding-c-1', question, more);

  it.each<[string, BackedUp, how: string, args: readonly unknown[]]>([
    ['a merchant that the partner has', merchantOf(boarded, ID), 'imports', [imported, undefined, SINCE]],
    [
      'a merchant that was submitted',
      merchantOf(boarded, { ...ID, stage: 'underwriting' }),
      'imports',
      [imported, undefined, { ...SINCE, isSubmitted: true }],
    ],
    [
      'a merchant that was about to be submitted',
      merchantOf(boarded, { ...ID, stage: 'applying' }),
      'imports',
      [imported, undefined, SINCE],
    ],
    ['a merchant that its input imports', merchantOf(imported), 'imports', [imported, undefined, SINCE]],
    ['a merchant of which nothing is known', merchantOf(boarded), 'asks', [boarded, undefined, SINCE]],
    ['a business that the bank has', businessOf(PROFILE), 'imports', [onboarded, undefined, KNOWN]],
    ['a business of which nothing is known', businessOf(), 'asks', [onboarded, undefined, SINCE]],
    ['a customer', customerOf(), 'imports', [question, { restored: SINCE }]],
    ['a customer that the bank has', customerOf(PROFILE), 'imports', [question, { restored: KNOWN }]],
    [
      'a customer whose merchant had ended',
      customerOf(STOPPED),
      'imports',
      [question, { ...STOPPED, restored: SINCE }],
    ],
  ])('of %s', async (_, of, how, args) => {
    const { starts, ...result } = await restored(of);
    expect([result, starts]).toMatchObject([{ how }, [{ args, workflowId: of.workflowId, type: of.type }]]);
    expect(await restored(of, { dryRun: true })).toEqual({ how, starts: [] });
    expect(await restored(of, {}, grpcError('ALREADY_EXISTS'))).toMatchObject({ how: 'there' });
  });

  it.each<[BackedUp, dba: string, fairness: string[], account?: string]>([
    [merchantOf(boarded), 'Corner Bakery', ['agent-101']],
    [merchantOf(boarded, {}, '@acme'), 'Corner Bakery', ['acme-agent-101'], 'acme'],
    [businessOf(), 'Baker & Sons', []],
    [customerOf(), 'Corner Bakery', ['agent-101']],
  ])('starts %j once, in the turn of a batch, and lists it as %j', async (of, dba, fairness, account) => {
    const { starts } = await restored(of);
    expect(starts).toMatchObject([
      {
        taskQueue: 'gangway',
        priority: [4, ...fairness],
        summary: dba,
        memo: { dba },
        policies: ['WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE', 'WORKFLOW_ID_CONFLICT_POLICY_FAIL'],
        indexed: { ActionRequired: false, Dba: dba },
      },
    ]);
    expect(starts[0]?.indexed['PartnerAccount']).toBe(account);
  });

  it('shows the dba as the settings have it, and fails as the server does', async () => {
    const of = entry('merchantBoarding', 'merchant-boarding-m-1', boarded);
    const { starts } = await restored(of, { dbaForm: 'masked' });
    expect(starts[0]?.indexed).toMatchObject({ Dba: 'C… B…' });
    await expect(restored(of, {}, grpcError('UNAVAILABLE'))).rejects.toThrow('Failed to start Workflow');
  });

  it.each<[status: string, stage: string | undefined, how: string]>([
    ['running', undefined, 'imports'],
    ['running', 'underwriting', 'imports'],
    ['completed', 'declined', 'imports'],
    // Lists may not have the next run yet.
    ['continued_as_new', 'underwriting', 'imports'],
    ['running', 'abandoned', 'skipped'],
    ['completed', 'abandoned', 'skipped'],
    ['running', 'cancelled', 'skipped'],
    ['cancelled', 'underwriting', 'skipped'],
    ['terminated', undefined, 'skipped'],
    ['failed', 'underwriting', 'skipped'],
    ['timed_out', undefined, 'skipped'],
  ])('of what was %s, at stage %s: %s', async (status, stage, how) => {
    const more = { status, merchantProfileId: 1, ...(stage !== undefined && { stage }) };
    const of = entry('merchantBoarding', 'merchant-boarding-m-1', boarded, more);
    const { starts, ...result } = await restored(of);
    expect([result, starts.length]).toEqual([{ how }, how === 'skipped' ? 0 : 1]);
    expect(isGivenUp(stage)).toBe(stage === 'abandoned' || stage === 'cancelled');
  });
});
