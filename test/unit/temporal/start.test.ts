import { describe, expect, it } from 'vitest';
import { indexedWords } from '../../../src/messages/list-fields.js';
import { BUSINESS, CUSTOMER, MERCHANT } from '../../../src/temporal/kinds/kinds.js';
import {
  type Agent,
  differenceFromStart,
  differingFields,
  type StartOptions,
  startOnce,
  startOperation,
  type Urgency,
} from '../../../src/temporal/start.js';
import { business, customer, holder, merchant } from '../../rigs/inputs.js';
import {
  answering,
  execution,
  type Facts,
  grpcError,
  payloads,
  startIn,
} from '../../rigs/temporal/answering-service.js';

const HERE = { fourEyes: [], taskQueue: 'gangway' } as const;

/** A server that may have one workflow, which runs by default. It rejects starts as Temporal does. */
function server(there?: Facts, { input, outcome }: { input?: unknown; outcome?: unknown } = {}) {
  return answering({
    startWorkflowExecution: (request) => {
      const { policies } = startIn(request);
      const rejects =
        there?.status === undefined || policies[0] === 'WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE';
      if (there && rejects) throw grpcError('ALREADY_EXISTS');
      return { runId: 'run-2' };
    },
    describeWorkflowExecution: () => {
      if (!there) throw grpcError('NOT_FOUND');
      return { workflowExecutionInfo: execution(there) };
    },
    getWorkflowExecutionHistory: ({ maximumPageSize }) => {
      const began = { workflowExecutionStartedEventAttributes: { input: { payloads: payloads(input) } } };
      const ended = {
        workflowExecutionCompletedEventAttributes: { result: { payloads: payloads(outcome) } },
      };
      return { history: { events: [maximumPageSize === 1 ? began : ended] } };
    },
  });
}

const ONCE = ['WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE', 'WORKFLOW_ID_CONFLICT_POLICY_FAIL'];
const AGAIN = ['WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE', 'WORKFLOW_ID_CONFLICT_POLICY_FAIL'];

// Proves T2.
describe('an onboarding', () => {
  const boarded = merchant(undefined, { externalId: 'm-1', account: 'acme' });
  const onboarded = business(undefined, {
    externalId: 'b-1',
    account: 'acme',
    holder: holder(undefined, { doingBusinessAsName: 'Baker & Sons' }),
  });
  const { boarding, ...others } = customer({}, { externalId: 'c-1', account: 'acme' });
  const both = { ...others, boarding: { ...boarding, merchant: boarded.merchant } };
  const ofCustomer = [both, { again: false }];

  it.each([
    [MERCHANT, boarded, [boarded], 'merchant-boarding-m-1', 'Corner Bakery', 'preparing', '-agent-101'],
    [BUSINESS, onboarded, [onboarded], 'business-onboarding-b-1', 'Baker & Sons', 'applying', ''],
    [CUSTOMER, both, ofCustomer, 'customer-onboarding-c-1', 'Corner Bakery', 'onboarding', '-agent-101'],
  ] as const)('is started once, by its key: %j', async (kind, input, args, key, dba, stage, agent) => {
    const { client, sent } = server();
    const start = kind.start as typeof MERCHANT.start;
    const indexed = { OnboardingStage: stage, ActionRequired: false, PartnerAccount: 'acme' };
    const workflowId = `${key}@acme`;
    expect(await start(client, input as never, HERE)).toEqual({ workflowId, runId: 'run-2', started: true });
    expect(sent.map(([name, request]) => [name, startIn(request)])).toEqual([
      [
        'startWorkflowExecution',
        {
          workflowId,
          type: kind.type,
          taskQueue: 'gangway',
          args,
          policies: ONCE,
          priority: [3, `acme${agent}`],
          memo: { dba },
          summary: dba,
          indexed: { ...indexed, Dba: dba, DbaWords: indexedWords(dba, 'shown') },
        },
      ],
    ]);
  });

  it('of a batch has a lower priority, and its dba may be masked', async () => {
    const { client, sent } = server();
    await MERCHANT.start(client, boarded, { ...HERE, urgency: 'batch', dbaForm: 'masked' });
    expect(startIn(sent[0]?.[1])).toMatchObject({
      priority: [4, 'acme-agent-101'],
      memo: { dba: 'Corner Bakery' },
      indexed: { Dba: 'C… B…', DbaWords: 'maskedinitialscb c b' },
    });
  });

  // Alone catches a kind of onboarding that starts without the rule of four eyes.
  it('has the rule of four eyes in its input', async () => {
    for (const [kind, input] of [
      [MERCHANT, boarded],
      [BUSINESS, onboarded],
      [CUSTOMER, both],
    ] as const) {
      const { client, sent } = server();
      const start = kind.start as typeof MERCHANT.start;
      await start(client, input as never, { ...HERE, fourEyes: ['ticket', 'abandon'] });
      expect(startIn(sent[0]?.[1]).args[0]).toEqual({ ...input, fourEyes: ['ticket', 'abandon'] });
    }
  });

  it('is started again on request, once it has ended', async () => {
    const { client, sent } = server({ status: 'COMPLETED' });
    expect(await CUSTOMER.start(client, both, { ...HERE, again: true })).toMatchObject({ started: true });
    expect(startIn(sent[0]?.[1])).toMatchObject({ policies: AGAIN, args: [both, { again: true }] });
  });

  it.each<[string, Facts, StartOptions]>([
    ['runs', {}, HERE],
    ['runs, even again', {}, { ...HERE, again: true }],
    ['has ended', { status: 'FAILED' }, HERE],
  ])('that %s is attached to', async (_, there, options) => {
    const attached = { workflowId: 'merchant-boarding-m-1@acme', runId: 'run-1', started: false };
    expect(await MERCHANT.start(server(there).client, boarded, options)).toEqual(attached);
  });

  it('may be started by another sender', async () => {
    const { client, sent } = server();
    const send = async () => 'run-9';
    expect(await MERCHANT.start(client, boarded, { ...HERE, send })).toMatchObject({ runId: 'run-9' });
    expect(sent).toEqual([]);
  });

  it('that cannot be started fails', async () => {
    const { client } = answering({ startWorkflowExecution: () => Promise.reject(grpcError('UNAVAILABLE')) });
    await expect(MERCHANT.start(client, boarded, HERE)).rejects.toThrow('Failed to start Workflow');
  });
});

it.each<[Urgency, Agent | undefined, string | undefined, unknown[]]>([
  ['interactive', undefined, undefined, [3]],
  ['batch', undefined, undefined, [4]],
  ['batch', {}, 'acme', [4, 'acme']],
  ['batch', { agentProfileId: 0 }, undefined, [4, 'agent-0']],
  // The first 16 digits of the SHA-256 of the name.
  ['batch', { agent: 'abc' }, undefined, [4, 'agent-ba7816bf8f01cfea']],
  ['batch', { agent: 'abc' }, 'acme', [4, 'acme-agent-ba7816bf8f01cfea']],
  ['batch', { agentProfileId: 7, agent: 'abc' }, undefined, [4, 'agent-7']],
])('%s starts of agent %j in account %s take turns by %j', async (urgency, agent, account, priority) => {
  const { client, sent } = server();
  const start = { type: 'merchantBoarding', key: 'm-1', args: [], account, ...(agent && { agent }) } as const;
  await startOnce(client, start, { ...HERE, urgency });
  expect(startIn(sent[0]?.[1])).toMatchObject({ priority });
});

describe('a single operation', () => {
  const request = { paymentCardId: '7', last4: '1234' };
  const close = { operation: 'close-card', key: '7', request } as const;

  it.each<[string, Facts | undefined, outcome: string, started: string[]]>([
    ['is started', undefined, '', ['run-2']],
    ['attaches to the one that runs', {}, 'rejected', []],
    ['attaches to the one that completed', { status: 'COMPLETED' }, 'done', []],
    ['is started again after the partner rejected it', { status: 'COMPLETED' }, 'rejected', ['run-2']],
    ['attaches to the one that an operator abandoned', { status: 'COMPLETED' }, 'abandoned', []],
    ['attaches to the one that an operator stopped', { status: 'TERMINATED' }, 'rejected', []],
  ])('%s', async (_, there, outcome, started) => {
    const { client, sent } = server(there, { outcome: { outcome } });
    const { runId, ...result } = await startOperation(client, close, HERE);
    expect(result).toEqual({ workflowId: 'operation-close-card-7', started: started.length > 0 });
    expect(runId).toBe(started[0] ?? 'run-1');
    const starts = sent
      .filter(([name]) => name === 'startWorkflowExecution')
      .map(([, request]) => startIn(request));
    expect(starts[0]).toMatchObject({ policies: ONCE, summary: 'close card 7 for good', memo: {} });
    expect(starts.length).toBe(there && started.length > 0 ? 2 : 1);
  });
});

describe('the difference from the first input', () => {
  it.each<[unknown, unknown, string[]]>([
    [{ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, []],
    [{ a: 1 }, { a: '1' }, ['a']],
    [{ a: 1 }, {}, ['a']],
    [{}, { a: 1 }, ['a']],
    [{ a: { b: null } }, { a: { b: {} } }, ['a.b']],
    [{ a: { b: {} } }, { a: { b: null } }, ['a.b']],
    [{ a: { b: 'x' } }, { a: { b: {} } }, ['a.b']],
    [{ owners: [{ dob: 'x' }, { dob: 'y' }] }, { owners: [{ dob: 'x' }, { dob: 'z' }] }, ['owners.1.dob']],
    [{ owners: [1] }, { owners: [1, 2] }, ['owners.1']],
    [{ owners: [] }, { owners: {} }, ['owners']],
    [undefined, { a: 1 }, ['']],
  ])('of %j and %j is in %j', (one, other, fields) => {
    expect(differingFields(one, other)).toEqual(fields);
  });

  const difference = (answers: Parameters<typeof answering>[0], input: unknown = {}) =>
    differenceFromStart(answering(answers).client, 'merchant-boarding-m-1', input);

  /** A workflow that began in `run-0` with this payload. */
  const began = ([payload]: readonly object[], firstRunId = 'run-0') => ({
    describeWorkflowExecution: () => ({ workflowExecutionInfo: { ...execution({}), firstRunId } }),
    getWorkflowExecutionHistory: ({ execution: { runId } }: { execution: { runId: string } }) => {
      if (runId !== (firstRunId || 'run-1')) throw new Error(`the first input is not in ${runId}`);
      const input = { payloads: [payload] };
      return { history: { events: [{ workflowExecutionStartedEventAttributes: { input } }] } };
    },
  });

  it.each(['run-0', ''])('is that from its first run (%s), as JSON has it', async (firstRunId) => {
    const answers = began(payloads({ a: 1, b: 2 }), firstRunId);
    expect(await difference(answers, { a: 1, b: 2, account: undefined })).toEqual([]);
    expect(await difference(answers, { a: 1, b: 3 })).toEqual(['b']);
  });

  it('is unknown without the history, or without its key', async () => {
    const sealed = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.of() };
    expect(await difference(began([sealed]))).toBeUndefined();
    const forgotten = () => Promise.reject(grpcError('NOT_FOUND'));
    const there = began([{}]);
    expect(await difference({ ...there, getWorkflowExecutionHistory: forgotten })).toBeUndefined();
    expect(await difference({ describeWorkflowExecution: forgotten })).toBeUndefined();
    const getWorkflowExecutionHistory = () => Promise.reject(grpcError('RESOURCE_EXHAUSTED'));
    const failed = difference({ ...there, getWorkflowExecutionHistory });
    await expect(failed).rejects.toThrow('the server rejects it');
  });
});
