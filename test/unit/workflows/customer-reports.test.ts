import { describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../../src/messages/onboarding-state.js';
import type { ChildReport } from '../../../src/messages/onboardings.js';
import type { Requirement } from '../../../src/messages/requirements.js';
import {
  applyReport,
  changesBetween,
  isEmpty,
  type ReportedPart,
} from '../../../src/workflows/runtime/customer-reports.js';

const at = '2026-01-01T00:00:00.000Z';

const note = (id: string, title = id): Requirement => ({
  id,
  kind: 'underwriting-note',
  title,
  detail: '',
  raisedAt: at,
  dueAt: at,
  answers: ['text'],
});

const [a, b, c] = [note('a'), note('b'), note('c')];

function state(requirements: readonly Requirement[], facts: Partial<OnboardingState> = {}): OnboardingState {
  return { stage: 'underwriting', partnerStatus: null, requirements, timeline: [], ...facts };
}

/** What a child goes through. */
const STATES = [
  state([a]),
  state([a, b], { partnerStatus: 'Pending' }),
  state([b, c], { partnerStatus: 'Pending', merchantProfileId: 7 }),
  // Asked again under the same id.
  state([c, note('b', 'again')], { merchantProfileId: 7 }),
  state([], { stage: 'boarded', mid: '4711' }),
];

/** The reports of one run of a child that goes through some states. */
function reports(states: readonly OnboardingState[], run = 'r1', runStartedAt = at): ChildReport[] {
  return states.map((present, index) => ({
    part: 'boarding',
    run,
    runStartedAt,
    number: index + 1,
    isWhole: index === 0,
    ...changesBetween(states[index - 1], present),
  }));
}

function heardOf(heard: readonly ChildReport[]): { facts: ReportedPart | undefined; said: string[] } {
  let facts: ReportedPart | undefined;
  const said = heard.map((report) => {
    const now = applyReport(facts, report);
    if (typeof now === 'string') return now;
    facts = now;
    return 'heard';
  });
  return { facts, said };
}

const jsonOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('reports of a child', () => {
  it('give the customer the state of the child, each one', () => {
    const all = jsonOf(reports(STATES));
    for (const [index, present] of STATES.entries()) {
      const { facts } = heardOf(all.slice(0, index + 1));
      expect(facts?.state.requirements).toEqual(present.requirements);
      expect(facts?.state).toMatchObject(present);
    }
  });

  it('hold only what changed: a requirement once, however many are open', () => {
    const [, second, third] = reports(STATES);
    expect(second).toMatchObject({ facts: { partnerStatus: 'Pending' }, raised: [b], closed: [] });
    expect(third).toMatchObject({ facts: { merchantProfileId: 7 }, raised: [c], closed: ['a'] });
  });

  it('do not hold the name of the business, and end with the outcome', () => {
    const [first] = reports([state([], { dba: 'Harbor Books', mid: '4711' })]);
    expect(first?.facts).toEqual({ stage: 'underwriting', partnerStatus: null, mid: '4711' });
    const outcome = { outcome: 'declined' } as const;
    expect(heardOf([{ ...first, outcome } as ChildReport]).facts).toMatchObject({ outcome });
  });

  it('are not sent when nothing changed that a customer shows', () => {
    const present = STATES[1] as OnboardingState;
    const waiting = { step: 'create the merchant', since: at, reason: 'HTTP 503' };
    const timeline = [{ at, event: 'started' as const }];
    const later = { ...present, requirements: [a, b], timeline, waiting };
    expect(isEmpty(changesBetween(present, later))).toBe(true);
    expect(isEmpty(changesBetween(STATES[0], present))).toBe(false);
  });

  const inRun1 = reports(STATES);
  const wholeOf = (state: number) => ({
    isWhole: true,
    ...changesBetween(undefined, STATES[state] as never),
  });
  const later = reports(STATES.slice(3), 'r2', '2026-01-02T00:00:00.000Z');
  const [, , reset] = reports(STATES, 'r2');
  const NAMED: Readonly<Record<string, object | undefined>> = {
    1: inRun1[0],
    2: inRun1[1],
    3: inRun1[2],
    whole4: { ...inRun1[3], ...wholeOf(3) },
    reset3: reset,
    wholeReset3: { ...reset, ...wholeOf(2) },
    later1: later[0],
    later2: later[1],
  };

  it.each<[string, heard: string, said: string, run: string, state: number]>([
    ['come twice, or late, change nothing', '1 2 2 1 3 2', 'heard heard old old heard old', 'r1', 2],
    ['are lost leave a gap until the next whole one', '1 3 whole4', 'heard gap heard', 'r1', 3],
    ['begin in the middle wait for a whole one', '3 whole4', 'gap heard', 'r1', 3],
    ['come from a reset run leave a gap', '1 2 reset3 wholeReset3', 'heard heard gap heard', 'r2', 2],
    ['come from a later run count alone', '1 later1 later2 3 1', 'heard heard heard old old', 'r2', 4],
  ])('that %s', (_, heard, expected, run, state) => {
    const { facts, said } = heardOf(heard.split(' ').map((name) => NAMED[name] as ChildReport));
    expect(said.join(' ')).toBe(expected);
    expect(facts).toMatchObject({ run, state: STATES[state] });
  });
});
