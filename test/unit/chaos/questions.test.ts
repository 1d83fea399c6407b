import { describe, expect, it } from 'vitest';
import type { Witness } from '../../../simulation/writes.js';
import { examined, killedAfterMark } from '../../../simulation/writes.js';
import type { ReceivedRequest } from '../../../src/apps/sandbox/faults.js';
import type { TimelineEvent } from '../../../src/messages/codes.js';
import type { OnboardingState } from '../../../src/messages/onboarding-state.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** An event and its second. */
type Moment = readonly [second: number, event: TimelineEvent, detail?: string];

const ask = (second: number, title: string): Moment => [
  second,
  'requirement-raised' as const,
  `uncertain-write-1: Outcome unknown: ${title}`,
];

function witness(moments: readonly Moment[], facts: Partial<OnboardingState> = {}): Witness {
  const party = { externalId: 'c-1', businessName: 'Corner Bakery', legalName: 'Baker LLC' };
  const timeline = moments.map(([second, event, detail]) => ({
    at: at(second),
    event,
    ...(detail !== undefined && { detail }),
  }));
  const nothing = { stage: 'underwriting', partnerStatus: null, requirements: [] } as const;
  const entry = { merchantProfileId: 1001, profileId: 3001 };
  return { party, workflowId: 'w-1', state: { ...nothing, ...entry, ...facts, timeline } };
}

const SUBMIT = 'submit to underwriting';

/** For each question, the second in which its request arrived. */
async function requestsOf(
  moments: readonly Moment[],
  arrivals: readonly number[],
  operation = 'submit-merchant',
  words: readonly string[] = ['1001'],
): Promise<(number | undefined)[]> {
  const log = arrivals.map(
    (second, index): ReceivedRequest => ({
      seq: index + 1,
      at: at(second),
      system: 'any',
      operation,
      url: '',
    }),
  );
  const matches = await examined([witness(moments)], async (wanted, about) =>
    wanted === operation && about.join() === words.join() ? log : [],
  );
  return matches.map(({ request }) => request && new Date(request.at).getUTCSeconds());
}

describe('a question about a write', () => {
  it.each([
    ['create the merchant', 'create-merchant', ['c-1']],
    ['create the merchant', 'create-merchant-v1', ['c-1']],
    [SUBMIT, 'submit-merchant', ['1001']],
    [SUBMIT, 'submit-merchant-v1', ['1001']],
    ['request the review of the answers', 'request-underwriting-review', ['1001']],
    ['upload check.pdf', 'upload-attachment', ['1001']],
    ['submit the business account holder', 'submit-business-account-holder', ['Corner Bakery', 'Baker LLC']],
    ['open the financial account', 'submit-business-customer', ['3001']],
    ['reply to ticket 9001', 'create-ticket', ['9001']],
  ])('is about a request that had arrived: %s by %s', async (title, operation, words) => {
    expect(await requestsOf([ask(5, title)], [4], operation, words)).toEqual([4]);
    expect(await requestsOf([ask(5, title)], [], operation, words)).toEqual([undefined]);
  });

  it('is not about a request that came later', async () => {
    expect(await requestsOf([ask(5, SUBMIT)], [6])).toEqual([undefined]);
  });

  it('of another kind is not about a request', async () => {
    const others: Moment[] = [
      [5, 'requirement-raised', 'note-0123456789ab: Underwriting note'],
      [6, 'requirement-resolved', 'uncertain-write-1: retry'],
    ];
    expect(await requestsOf(others, [])).toEqual([]);
  });
});

describe('a question about a write that was never sent', () => {
  const question = {
    workflowId: 'w-1',
    id: 'uncertain-write-1',
    title: SUBMIT,
    at: at(50),
    request: undefined,
    warning: `, sent at ${at(10).replace('T', ' ').replace('Z', ' UTC')}: its worker stopped before the response was recorded`,
  };
  const killed = (second: number, target = 'worker 1') => ({
    at: at(second),
    what: `${target} is killed, and down for 200 ms`,
  });

  it.each([
    ['by the kill of a worker a moment after the intent', [killed(2), killed(11)], 1_000],
    ['by a kill at the moment of the intent', [killed(10)], 0],
    ['by a later kill before the question', [killed(49)], 39_000],
    ['by no kill after the question', [killed(50)], undefined],
    ['by no kill before the intent', [killed(9)], undefined],
    ['by no kill of another process', [killed(11, 'temporal worker'), killed(11, 'receiver 1')], undefined],
  ])('is explained %s', (_, incidents, expected) => {
    expect(killedAfterMark(question, incidents)).toBe(expected);
  });
});
