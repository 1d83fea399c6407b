import { describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../../src/messages/onboarding-state.js';
import type { ChildReport } from '../../../src/messages/onboardings.js';
import type { Requirement } from '../../../src/messages/requirements.js';
import {
  applyReport,
  changesBetween,
  isEmpty,
  type ReportedPart,
} from '../../../src/workflows/journey/customer-reports.js';

const at = '2026-01-01T00:00:00.000Z';

const note = (id: string, title = id): Requirement => ({
  ...{ id, kind: 'underwriting-note', title, detail: '' },
  ...{ raisedAt: at, dueAt: at, answers: ['text'] },
});

const [a, b, c] = [note('a'), note('b'), note('c')];

function state(requirements: readonly Requirement[], facts: Partial<OnboardingState> = {}): OnboardingState {
  return { stage: 'underwriting', partnerStatus: null, polls: 0, requirements, timeline: [], ...facts };
}

/** What a child goes through. */
const STATES = [
  state([a]),
  state([a, b], { partnerStatus: 'Pending' }),
  state([b, c], { partnerStatus: 'Pending', merchantProfileId: 7 }),
  // Asked again under the same id.
  state([c, note('b', 'again')], { merchantProfileId: 7 }),
  state([], { stage: 'boarded', mid: '4711', polls: 3 }),
];

/** The reports of one run of a child that goes through some states. */
function reports(states: readonly OnboardingState[], run = 'r1', runStartedAt = at): ChildReport[] {
  return states.map((present, index) => ({
    ...{ part: 'boarding', run, runStartedAt, number: index + 1, isWhole: index === 0 },
    ...changesBetween(states[index - 1], present),
  }));
}

function heardOf(heard: readonly ChildReport[]): { known: ReportedPart | undefined; said: string[] } {
  let known: ReportedPart | undefined;
  const said = heard.map((report) => {
    const now = applyReport(known, report);
    if (typeof now === 'string') return now;
    known = now;
    return 'heard';
  });
  return { known, said };
}

const jsonOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('reports of a child', () => {
  it('give the customer the state of the child, each one', () => {
    const all = jsonOf(reports(STATES));
    for (const [index, present] of STATES.entries()) {
      const { known } = heardOf(all.slice(0, index + 1));
      expect(known?.state.requirements).toEqual(present.requirements);
      expect(known?.state).toMatchObject(present);
    }
  });

  it('hold only what changed: a requirement once, however many are open', () => {
    const [, second, third] = reports(STATES);
    expect(second).toMatchObject({ facts: { partnerStatus: 'Pending' }, raised: [b], closed: [] });
    expect(third).toMatchObject({ facts: { merchantProfileId: 7 }, raised: [c], closed: ['a'] });
  });

  it('do not hold the name of the business, and end with the outcome', () => {
    const [first] = reports([state([], { dba: 'Harbor Books', mid: '4711' })]);
    expect(first?.facts).toEqual({ stage: 'underwriting', partnerStatus: null, polls: 0, mid: '4711' });
    const outcome = { outcome: 'declined' } as const;
    expect(heardOf([{ ...first, outcome } as ChildReport]).known).toMatchObject({ outcome });
  });

  it('are not sent when nothing changed that a customer shows', () => {
    const present = STATES[1] as OnboardingState;
    const waiting = { step: 'create the merchant', since: at, reason: 'HTTP 503' };
    const timeline = [{ at, event: 'started' as const }];
    const later = { ...present, requirements: [a, b], timeline, waiting, polls: 9 };
    expect(isEmpty(changesBetween(present, later))).toBe(true);
    expect(isEmpty(changesBetween(STATES[0], present))).toBe(false);
  });

  it('that come twice, or after later ones, change nothing', () => {
    const [first, second, third] = reports(STATES) as [ChildReport, ChildReport, ChildReport];
    const { known, said } = heardOf([first, second, second, first, third, second]);
    expect(said).toEqual(['heard', 'heard', 'old', 'old', 'heard', 'old']);
    expect(known?.state).toMatchObject(STATES[2] as OnboardingState);
  });

  it('that are lost leave a gap until the next whole one', () => {
    const [first, , third, fourth] = reports(STATES) as [ChildReport, ChildReport, ChildReport, ChildReport];
    const whole = { ...fourth, isWhole: true, ...changesBetween(undefined, STATES[3] as OnboardingState) };
    const { known, said } = heardOf([first, third, whole]);
    expect(said).toEqual(['heard', 'gap', 'heard']);
    expect(known?.state).toEqual(STATES[3]);
    expect(heardOf([third]).said).toEqual(['gap']);
  });

  it('of a run that was reset leave a gap, whatever their number', () => {
    const before = reports(STATES.slice(0, 2));
    const [, , third] = reports(STATES, 'r2') as [ChildReport, ChildReport, ChildReport];
    const whole = { ...third, isWhole: true, ...changesBetween(undefined, STATES[2] as OnboardingState) };
    const { known, said } = heardOf([...before, third, whole]);
    expect(said).toEqual(['heard', 'heard', 'gap', 'heard']);
    expect(known).toMatchObject({ run: 'r2', state: STATES[2] });
  });

  it('of a later run take the place of those before, also of those that come late', () => {
    const before = reports(STATES.slice(0, 3)) as [ChildReport, ChildReport, ChildReport];
    const later = reports(STATES.slice(3), 'r2', '2026-01-02T00:00:00.000Z');
    const { known, said } = heardOf([before[0], before[1], ...later, before[2], before[0]]);
    expect(said).toEqual(['heard', 'heard', 'heard', 'heard', 'old', 'old']);
    expect(known?.state).toMatchObject(STATES[4] as OnboardingState);
  });
});
