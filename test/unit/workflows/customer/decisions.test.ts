import { describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../../../src/messages/onboarding-state.js';
import type { Part, PartEnd, PartOutcome } from '../../../../src/messages/onboardings.js';
import {
  type CustomerInput,
  type CustomerState,
  childOf,
  customerOutcome,
  failedPart,
  INITIAL_CUSTOMER_STATE,
  isOver,
  isResumed,
  NOT_STARTED as NOT_BEGUN,
  partWith,
  publishedParts,
  reduceEnd,
  reduceReport,
  reduceReset,
  reduceStart,
  withoutRequirements,
} from '../../../../src/workflows/customer/decisions.js';
import type { ReportedPart } from '../../../../src/workflows/runtime/customer-reports.js';
import { lines, MONDAY, noteAsked } from '../boarding/values.js';

const [note, ticket] = [noteAsked('note-1'), noteAsked('ticket-7')];

const reported = (state: Partial<OnboardingState> = {}, run = 'r1'): ReportedPart => ({
  run,
  runStartedAt: MONDAY,
  number: 1,
  state: {
    stage: 'underwriting',
    partnerStatus: 'Pending',
    requirements: [],
    timeline: [],
    ...state,
  },
});

const state = (more: Partial<CustomerState> = {}): CustomerState => ({ ...INITIAL_CUSTOMER_STATE, ...more });

const BOARDED = { outcome: 'boarded', mid: '4711', merchantProfileId: 1001 } as const;
const ONBOARDED = {
  outcome: 'onboarded' as const,
  bankingStatus: 'Approved' as const,
  profileId: 3001,
  financialAccountId: null,
};
const DECLINED = { outcome: 'declined', comment: null, merchantProfileId: 1001 } as const;
const DENIED = { ...ONBOARDED, outcome: 'declined', bankingStatus: 'Denied' } as const;
const NOT_STARTED = { outcome: 'not-started' } as const;

const completed = (outcome: PartOutcome): PartEnd => ({ how: 'completed', outcome });
const [boarded, onboarded, declined] = [completed(BOARDED), completed(ONBOARDED), completed(DECLINED)];
const notStarted = completed(NOT_STARTED);
const [cancelled, terminated] = [{ how: 'cancelled' }, { how: 'terminated' }] as const;
const abandoned = completed({ outcome: 'abandoned', comment: null });

/** Parts that have ended, in this order. */
const endedAs = (ends: Readonly<Partial<Record<Part, PartEnd>>>) =>
  state({
    ends: Object.fromEntries(Object.entries(ends).map(([part, end]) => [part, { end, run: 'r1' }])),
  });

describe('what a part begins with', () => {
  const input = {
    externalId: 'c-1',
    boarding: { merchant: { dba: 'Corner Bakery' } },
    onDecline: 'continue',
    business: { holder: { doingBusinessAsName: 'The Corner Bakery' } },
  } as unknown as CustomerInput;

  const started = {
    boarding: {
      dba: 'Corner Bakery',
      input: { externalId: 'c-1', merchant: { dba: 'Corner Bakery' } },
    },
    business: {
      dba: 'The Corner Bakery',
      input: { externalId: 'c-1', holder: input.business.holder, merchantProfileId: 1001 },
    },
  };

  it.each<[string, Part, merchant: number | undefined, is?: 'nothing']>([
    ['a merchant', 'boarding', undefined],
    ['a business, with its merchant', 'business', 1001],
    ['a business before there is a merchant', 'business', undefined, 'nothing'],
  ])('is the input of %s', (_, part, merchant, is) => {
    expect(childOf(part, input, merchant)).toEqual(is ? undefined : started[part]);
  });
});

describe('a part that begins', () => {
  it('shows before its first report', () => {
    const { starts: start, reports: output } = reduceStart(state(), 'boarding', reported({}, ''));
    expect([start, output]).toEqual([{ boarding: 'started' }, { boarding: reported({}, '') }]);
  });

  it('keeps a report that came before', () => {
    const before = state({ reports: { business: reported() }, starts: { boarding: 'attached' } });
    const start = { boarding: 'attached', business: 'started' } as const;
    const after = state({ starts: start, reports: { business: reported() } });
    expect(reduceStart(before, 'business', reported({}, ''))).toEqual(after);
  });
});

describe('a report', () => {
  it('shows what exists at the partners', () => {
    const before = state({ reports: { boarding: reported({ merchantProfileId: 1001 }) } });
    const business = reported({ merchantProfileId: 1001, profileId: 3001 });
    const { state: next, commands } = reduceReport(before, 'business', business);
    expect(commands).toEqual([{ set: { merchantProfileId: 1001, profileId: 3001 } }]);
    expect(next.reports).toEqual({ ...before.reports, business });
  });

  it('shows each id', () => {
    const ids = { merchantProfileId: 1001, mid: '4711', profileId: 3001, financialAccountId: 'fa-1' };
    const { commands } = reduceReport(INITIAL_CUSTOMER_STATE, 'business', reported(ids));
    expect(commands).toEqual([{ set: ids }]);
  });

  it('of the run that has ended asks nothing', () => {
    const before = endedAs({ boarding: boarded });
    const late = reported({ requirements: [note], unsent: ['note-2'] });
    const over = { stage: 'boarded', outcome: 'boarded', mid: '4711', requirements: [], unsent: [] };
    expect(reduceReport(before, 'boarding', late).state.reports.boarding?.state).toMatchObject(over);
  });

  it.each([
    ['of another run than the one that has ended', endedAs({ boarding: boarded }), 'r2'],
    ['of a part that has not ended', INITIAL_CUSTOMER_STATE, 'r1'],
  ])('%s counts', (_, before, run) => {
    const now = reported({ requirements: [note] }, run);
    expect(reduceReport(before, 'boarding', now).state.reports.boarding).toEqual(now);
  });
});

describe('what the outside sees', () => {
  const before = state({
    reports: {
      boarding: reported({ requirements: [note], unsent: ['note-2'] }),
      business: reported({ requirements: [ticket] }),
    },
  });

  it('has the questions of all parts, the answers that can be taken back, and each part', () => {
    const { boarding, business } = before.reports;
    const parts = { boarding: boarding?.state, business: business?.state };
    expect(publishedParts(before)).toEqual({ requirements: [note, ticket], unsent: ['note-2'], ...parts });
  });

  it('sends an answer on to the part that asked, or that has it', () => {
    const parts = ['note-1', 'note-2', 'ticket-7', 'unknown'].map((id) => partWith(before, id));
    expect(parts).toEqual(['boarding', 'boarding', 'business', 'business']);
  });

  it('that did not begin completes as not started', () => {
    expect(NOT_BEGUN).toEqual({ how: 'completed', outcome: { outcome: 'not-started' } });
  });

  it('is found by any of its questions', () => {
    const boarding = reported({ requirements: [note, noteAsked('note-2')] });
    expect(partWith(state({ reports: { boarding } }), 'note-2')).toBe('boarding');
  });

  it('has no questions after the end', () => {
    const { requirements, unsent, boarding } = publishedParts(withoutRequirements(before));
    expect([requirements, unsent, boarding?.partnerStatus]).toEqual([[], [], 'Pending']);
  });
});

describe('the end of a part', () => {
  const MERCHANT = { stage: 'boarded', outcome: 'boarded', mid: '4711', partnerStatus: null } as const;
  const BUSINESS = { stage: 'onboarded', profileId: 3001, partnerStatus: 'Approved' } as const;
  it.each<[PartEnd, readonly string[], Partial<OnboardingState>]>([
    [boarded, ['merchantProfileId is 1001,mid is 4711', 'boarding-ended: boarded'], MERCHANT],
    [onboarded, ['profileId is 3001', 'boarding-ended: onboarded'], BUSINESS],
    [{ how: 'failed' }, ['boarding-failed: see the child workflow'], { stage: 'cancelled' }],
    [{ how: 'timed out' }, ['boarding-ended: timed out'], { stage: 'cancelled', partnerStatus: 'Pending' }],
  ])('is recorded, and closes its questions: %j', (end, recorded, output) => {
    const before = state({ reports: { boarding: reported({ requirements: [note] }) } });
    const { state: next, commands } = reduceEnd(before, 'boarding', end);
    expect(lines(commands)).toEqual(recorded);
    expect(next.ends).toEqual({ boarding: { end, run: 'r1' } });
    expect(next.reports.boarding?.state).toMatchObject({ ...output, requirements: [], unsent: [] });
  });

  it('of one that never began shows no part', () => {
    const { state: next } = reduceEnd(state(), 'business', notStarted);
    expect(next.reports).toEqual({});
    expect(next.ends).toEqual({ business: { end: notStarted, run: undefined } });
  });

  const ended = endedAs({ boarding: terminated });
  it.each<[string, CustomerState, boolean]>([
    ['runs on', state({ reports: { boarding: reported() } }), false],
    ['has reported its end', { ...ended, reports: { boarding: reported() } }, false],
    ['reports from another run', { ...ended, reports: { boarding: reported({}, 'r2') } }, true],
  ])('was not the last one, when a part that %s was reset', (_, before, is) => {
    expect(isResumed(before, 'boarding')).toBe(is);
  });

  it('is taken back by a reset', () => {
    const before = endedAs({ business: onboarded, boarding: { how: 'failed' } });
    const { state: next, commands } = reduceReset(before, 'boarding');
    expect(lines(commands)).toEqual(['boarding-reset: its workflow runs again']);
    expect(next).toEqual(endedAs({ business: onboarded }));
    expect([before, next, endedAs({ boarding: { how: 'failed' } })].map(isOver)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('by a failure is a bug', () => {
    expect(failedPart(endedAs({ boarding: { how: 'failed' }, business: cancelled }))).toBe('boarding');
    expect(failedPart(endedAs({ boarding: terminated, business: completed(DENIED) }))).toBeUndefined();
  });
});

describe('the end of a customer', () => {
  it.each<[Parameters<typeof endedAs>[0], string]>([
    [{ boarding: boarded, business: onboarded }, 'onboarded'],
    [{ boarding: boarded, business: notStarted }, 'partly-onboarded'],
    [{ business: onboarded, boarding: declined }, 'partly-onboarded'],
    [{ boarding: boarded, business: terminated }, 'partly-onboarded'],
    [{ boarding: declined, business: notStarted }, 'declined'],
    [{ boarding: cancelled, business: completed({ ...DENIED, outcome: 'closed' }) }, 'closed'],
    [{ business: completed({ ...DENIED, outcome: 'withdrawn' }), boarding: abandoned }, 'withdrawn'],
    [{ boarding: cancelled, business: notStarted }, 'abandoned'],
  ])('whose parts ended as %j is %s', (ends, outcome) => {
    expect(customerOutcome(endedAs(ends)).outcome).toBe(outcome);
  });

  it('has the outcomes of its parts', () => {
    const ended = customerOutcome(endedAs({ boarding: boarded, business: { how: 'timed out' } }));
    const business = { outcome: 'cancelled' };
    expect(ended).toEqual({ outcome: 'partly-onboarded', boarding: BOARDED, business });
  });
});
