import { describe, expect, it, vi } from 'vitest';
import type { OnboardingState, TimelineEntry } from '../../../../src/messages/onboarding-state.js';
import { awaitOutcome, reportRequirements, Watching } from '../../../../src/services/client/watching.js';
import { testEnds } from '../../../rigs/shared.js';
import { answering, type Facts, known, payloads } from '../../../rigs/temporal/answering-service.js';

const ADVICE = { restart: 'start it again', input: 'FILE' };

/** Temporal with these workflows, of which each has ended with this event. */
function ended(event: object, ...workflows: readonly Facts[]) {
  const getWorkflowExecutionHistory = () => ({ history: { events: [event] } });
  return answering({ ...known(...workflows), getWorkflowExecutionHistory }).client;
}

const TERMINATED = { workflowExecutionTerminatedEventAttributes: {} };

describe('the end of a workflow', () => {
  it('is its outcome', async () => {
    const result = { payloads: payloads({ outcome: 'done' }) };
    const client = ended({ workflowExecutionCompletedEventAttributes: { result } });
    expect(await awaitOutcome(client, 'operation-close-card-7', ADVICE)).toEqual({ outcome: 'done' });
  });

  it.each([
    ['it was terminated', TERMINATED],
    ['it was canceled', { workflowExecutionCanceledEventAttributes: {} }],
    ['it failed: a bug', { workflowExecutionFailedEventAttributes: { failure: { message: 'a bug' } } }],
  ])('without an outcome is explained: %s', async (reason, event) => {
    const client = ended(event, { workflowId: 'operation-close-card-7', type: 'partnerOperation' });
    await expect(awaitOutcome(client, 'operation-close-card-7', ADVICE)).rejects.toMatchObject({
      name: 'EndedWithoutOutcome',
      message: `operation-close-card-7: ${reason}; start it again`,
    });
  });

  const has = (workflowId: string, type: string, indexed = {}): Facts => ({ workflowId, type, indexed });
  const merchant = (indexed?: object) => has('merchant-boarding-1', 'merchantBoarding', indexed);
  const customer = has('customer-onboarding-1', 'customerOnboarding');
  const business = (indexed?: object) => has('business-onboarding-1', 'businessOnboarding', indexed);
  const [ID, PROFILE] = [{ MerchantProfileId: '1001' }, { BankingProfileId: '501' }];
  const toImport = 'merchant 1001 exists at the partner: to import it, set "merchantProfileId": 1001';
  const toFind =
    'look for a merchant with guid 1 in the partner’s portal: to import it, set its "merchantProfileId"';
  const ofMerchant = ': to import it, set the "merchantProfileId" of its merchant in FILE';

  it.each<[workflows: [Facts, ...Facts[]], advice: string]>([
    [[merchant(ID)], `${toImport} in FILE`],
    [[merchant()], `${toFind} in FILE`],
    [[customer, merchant(ID)], `${toImport} in "boarding" of FILE`],
    [[customer, merchant()], `${toFind} in "boarding" of FILE`],
    [[customer], `${toFind} in "boarding" of FILE`],
    [[business(PROFILE)], `banking profile 501 exists at the bank${ofMerchant}`],
    [[business(ID)], `look for the business at the bank${ofMerchant}`],
  ])('of %j names what a second start would create again', async (workflows, advice) => {
    const [{ workflowId = '' }] = workflows;
    const end = awaitOutcome(ended(TERMINATED, ...workflows), workflowId, ADVICE);
    await expect(end).rejects.toMatchObject({ reason: `it was terminated; ${advice}; then start it again` });
  });
});

it('open requirements are reported when they change, also to those of the same id in another workflow', async () => {
  const requirements = (workflowId: string) =>
    [{ workflowId, name: '', requirement: { id: 'unreadable' } }] as never;
  async function* watching() {
    for (const of of ['merchant-boarding-1', 'merchant-boarding-1', 'account-boarding', 'account-banking'])
      yield { requirements: requirements(of) };
    yield { requirements: [] };
  }
  const reported: (string | undefined)[] = [];
  await reportRequirements(watching(), ([first]) => reported.push(first?.workflowId));
  expect(reported).toEqual(['merchant-boarding-1', 'account-boarding', 'account-banking', undefined]);
});

it('each reading of a customer has what is new in its timeline and in those of its parts, oldest first', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true, now: Date.parse('2026-03-01T10:00:00Z') });
  testEnds(() => void vi.useRealTimers());
  const entry = (second: number, event: TimelineEntry['event']): TimelineEntry => ({
    at: `2026-03-01T10:00:0${second}.000Z`,
    event,
  });
  const blank = { partnerStatus: null, requirements: [] };
  const state = (...timeline: TimelineEntry[]): OnboardingState => ({
    ...blank,
    stage: 'onboarding',
    timeline,
  });
  const [mine, merchants, businesses] = [
    [entry(0, 'started'), entry(4, 'boarding-ended')],
    [entry(2, 'started'), entry(3, 'submitted'), entry(5, 'ended')],
    [entry(1, 'started'), entry(6, 'holder-submitted')],
  ];
  /** How much of each timeline there is, reading by reading. The fourth one brings nothing new. */
  const steps = [
    [1, 0, 0],
    [1, 1, 1],
    [2, 3, 1],
    [2, 3, 1],
    [2, 3, 2],
  ] as const;
  let reading = 0;
  const ids = ['customer-onboarding-1', 'merchant-boarding-1', 'business-onboarding-1'];
  const { client } = answering({
    ...known(...ids.map((workflowId) => ({ workflowId }))),
    queryWorkflow({ execution: { workflowId } }) {
      const [own = 0, boarding = 0, business = 0] = steps[Math.min(reading, steps.length - 1)] ?? [];
      const states = [
        { ...state(...mine.slice(0, own)), boarding: state(), business: state() },
        state(...merchants.slice(0, boarding)),
        state(...businesses.slice(0, business)),
      ];
      return { queryResult: { payloads: payloads(states[ids.indexOf(workflowId)]) } };
    },
  });
  let end = (_: string) => {};
  const outcome = new Promise<string>((resolve) => {
    end = resolve;
  });
  const id = Promise.resolve(ids[0] ?? '');
  const watching = new Watching(client, id, () => outcome, {});
  const read: string[][] = [];
  const followed = (async () => {
    for await (const { entries, hasEnded } of watching)
      read.push([...entries.map(({ of, event }) => `${of} ${event}`), ...(hasEnded ? ['the end'] : [])]);
  })();
  for (reading = 0; reading < steps.length; reading += 1) await vi.advanceTimersByTimeAsync(1_000);
  end('done');
  await vi.advanceTimersByTimeAsync(1_000);
  await followed;
  expect(read).toEqual([
    ['customer started'],
    ['business started', 'boarding started'],
    ['boarding submitted', 'customer boarding-ended', 'boarding ended'],
    ['business holder-submitted'],
    ['the end'],
  ]);
});
