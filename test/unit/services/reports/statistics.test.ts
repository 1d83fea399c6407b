import { describe, expect, it } from 'vitest';
import { mondayOf, Tally, type TallyOptions, weekOf } from '../../../../src/services/reports/statistics.js';
import type { Listed } from '../../../../src/temporal/search.js';

const NOW = new Date('2026-03-06T12:00:00Z');
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const DAY = 24;

let count = 0;
function listed(more: Partial<Listed> = {}): Listed {
  count += 1;
  return {
    workflowId: `merchant-boarding-m-${count}`,
    runId: 'run',
    taskQueue: 'gangway',
    type: 'merchantBoarding',
    dba: `Shop ${count}`,
    system: 'boarding',
    partnerAccount: undefined,
    state: 'running',
    stage: 'underwriting',
    partnerStatus: 'Pending',
    merchantProfileId: undefined,
    mid: undefined,
    bankingProfileId: undefined,
    agentProfileId: '101',
    requirements: [],
    moreRequirements: 0,
    stageSeconds: {},
    startedAt: ago(2 * DAY),
    startedBy: undefined,
    endedAt: undefined,
    ...more,
  };
}

const ended = (outcome: Listed['stage'], more: Partial<Listed> = {}) =>
  listed({ state: 'completed', stage: outcome, endedAt: NOW, ...more });

const note = (raisedHoursAgo: number, dueInHours: number) => ({
  kind: 'underwriting-note' as const,
  id: 'note-1',
  raisedAt: ago(raisedHoursAgo).toISOString(),
  dueAt: ago(-dueInHours).toISOString(),
});

function figuresOf(rows: readonly Listed[], more: Partial<TallyOptions> = {}) {
  const tally = new Tally({ now: NOW, firstStarts: new Map(), ...more });
  for (const row of rows) tally.add(row);
  return tally.figures;
}

describe('the figures of a report', () => {
  it('count running onboardings by stage, in the order of the stages, and those that wait for a person', () => {
    const rows = [
      listed({ stage: 'boarding' }),
      listed({ requirements: [note(5, 1)] }),
      listed({ requirements: [note(5, 1)] }),
      listed({ type: 'businessOnboarding', stage: 'applying' }),
      ended('boarded'),
    ];
    const { stages, ...others } = figuresOf(rows);
    expect(stages).toEqual([
      { subject: 'merchant', stage: 'underwriting', running: 2, waiting: 2 },
      { subject: 'merchant', stage: 'boarding', running: 1, waiting: 0 },
      { subject: 'business', stage: 'applying', running: 1, waiting: 0 },
    ]);
    expect(others).toMatchObject({ running: 4, waiting: 2, ended: 1 });
  });

  it('count no requirement of an onboarding that was terminated while it waited, which no list has', () => {
    const { requirements, longest } = figuresOf([
      listed({ state: 'terminated', requirements: [note(5, 1)], endedAt: NOW }),
    ]);
    expect([requirements, longest]).toEqual([[], []]);
  });

  it('have the median and the ninth decile of the time in each stage', () => {
    const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((underwriting) =>
      ended('boarded', { stageSeconds: { underwriting } }),
    );
    expect(figuresOf(rows).stageTimes).toEqual([
      { subject: 'merchant', stage: 'underwriting', count: 10, medianSeconds: 6, p90Seconds: 9, overADay: 0 },
    ]);
    expect(figuresOf(rows.slice(0, 1)).stageTimes).toMatchObject([{ medianSeconds: 1, p90Seconds: 1 }]);
    const long = [86_400, 86_401, 200_000].map((underwriting) =>
      ended('boarded', { stageSeconds: { underwriting } }),
    );
    expect(figuresOf(long).stageTimes).toMatchObject([{ count: 3, overADay: 2 }]);
  });

  it('count those that are in one stage for over a day, and those that wait for a person as long, apart', () => {
    const day = DAY * 3_600;
    const rows = [
      ended('boarded', { stageSeconds: { applying: 60, underwriting: day + 1 } }),
      ended('boarded', { stageSeconds: { applying: day, underwriting: day } }),
      listed({ startedAt: ago(25) }),
      listed({ startedAt: ago(25), stageSeconds: { applying: 2 * 3_600 } }),
      listed({ type: 'customerOnboarding', stage: 'onboarding', startedAt: ago(25) }),
    ];
    const waiting = listed({
      startedAt: ago(25),
      stageSeconds: { applying: 2 * 3_600 },
      requirements: [note(25, 1)],
    });
    expect(figuresOf([...rows, waiting])).toMatchObject({ overADay: 1, waitingOverADay: 1 });
  });

  it('have the open requirements by kind: how many, how many overdue, and how long they have waited', () => {
    const account = { type: 'partnerAccount', stage: 'working' } as const;
    const credentials = { ...note(10, 1), kind: 'credentials' as const };
    const ofAccount = listed({ ...account, requirements: [credentials] });
    const rows = [listed({ requirements: [note(1, 5), note(3, -1)] }), ofAccount];
    const { requirements, running } = figuresOf(rows);
    expect(requirements).toEqual([
      { kind: 'underwriting-note', open: 2, overdue: 1, medianSeconds: 7_200, longestSeconds: 10_800 },
      { kind: 'credentials', open: 1, overdue: 0, medianSeconds: 36_000, longestSeconds: 36_000 },
    ]);
    expect(running).toBe(1);
  });

  // Alone notices a total that is replaced by the last onboarding, and an onboarding whose later requirements are not read.
  it('add up the requirements of all onboardings, and read all of each', () => {
    const rows = [[note(1, -1), note(30, -1)], [note(1, -1)], [note(1, 1), note(30, -1)]];
    const figures = figuresOf(rows.map((requirements) => listed({ requirements })));
    expect(figures.requirements).toMatchObject([{ open: 5, overdue: 4 }]);
    expect(figures.waitingOverADay).toBe(2);
  });

  it('count a customer by its parts, and its own stage next to theirs', () => {
    const requirements = [note(1, 1)];
    const of = listed({ type: 'customerOnboarding', stage: 'onboarding', requirements });
    const rows = [of, listed({ requirements })];
    const { running, waiting, stages, requirements: kinds, longest } = figuresOf(rows);
    expect({ running, waiting }).toEqual({ running: 1, waiting: 1 });
    const inStages = stages.map(({ subject, running: inStage }) => `${subject} ${inStage}`);
    expect(inStages).toEqual(['merchant 1', 'customer 1']);
    expect(kinds).toMatchObject([{ open: 1 }]);
    expect(longest.filter(({ waits }) => waits === 'person')).toHaveLength(1);
  });

  it('name those that wait longest: for a person since the question, in their stage since they entered it', () => {
    const entered = listed({ startedAt: ago(10 * DAY), stageSeconds: { applying: 9 * DAY * 3_600 } });
    const question = listed({ requirements: [note(5, 1), note(7, 1)] });
    const { longest } = figuresOf([entered, question]);
    expect(longest.map(({ workflowId, waits, since }) => [workflowId, waits, since])).toEqual([
      [question.workflowId, 'person', ago(7).toISOString()],
      [question.workflowId, 'stage', ago(2 * DAY).toISOString()],
      [entered.workflowId, 'stage', ago(DAY).toISOString()],
    ]);
  });

  it('count an onboarding of several runs once, since the start of the first', () => {
    const row = listed({ startedAt: ago(1) });
    const rows = [row, { ...row, state: 'continued_as_new', startedAt: ago(5) }];
    const firstStarts = new Map([[row.workflowId, ago(5)]]);
    const { running, ended: over, longest } = figuresOf(rows, { firstStarts });
    expect({ running, over }).toEqual({ running: 1, over: 0 });
    expect(longest).toMatchObject([{ waits: 'stage', since: ago(5).toISOString() }]);
  });

  it('count outcomes by week, and an end without an outcome as what it was', () => {
    const rows = [
      ended('boarded'),
      ended('boarded'),
      ended('declined'),
      ended('boarded', { endedAt: new Date('2026-03-01T23:59:59Z') }),
      ended('underwriting', { state: 'terminated' }),
      ended('underwriting', { state: 'timed_out' }),
    ];
    const outcomes = { boarded: 2, declined: 1, terminated: 1, 'timed-out': 1 };
    expect(figuresOf(rows).weeks).toEqual([
      { subject: 'merchant', week: '2026-W09', monday: '2026-02-23', outcomes: { boarded: 1 } },
      { subject: 'merchant', week: '2026-W10', monday: '2026-03-02', outcomes },
    ]);
  });

  it('have the kinds and the groups with the most first, each counted by its own field', () => {
    const of = (partnerAccount: string, agentProfileId: string, requirements: Listed['requirements'] = []) =>
      listed({ partnerAccount, agentProfileId, requirements });
    const ticket = { ...note(1, 1), kind: 'ticket' as const };
    const rows = [
      of('west', '1', [ticket]),
      of('east', '1', [note(1, 1), note(2, 1)]),
      of('east', '2', [ticket, note(1, 1)]),
      of('east', '2'),
    ];
    const { requirements } = figuresOf(rows);
    expect(requirements.map(({ kind, open }) => [kind, open])).toEqual([
      ['underwriting-note', 3],
      ['ticket', 2],
    ]);
    const groups = (by: 'account' | 'agent') =>
      figuresOf(rows, { by }).groups?.map(({ group, running, waiting }) => [group, running, waiting]);
    expect(groups('account')).toEqual([
      ['east', 3, 2],
      ['west', 1, 1],
    ]);
    expect(groups('agent')).toEqual([
      ['1', 2, 2],
      ['2', 2, 1],
    ]);
  });

  it('compare agents, with the time that successes took', () => {
    const stageSeconds = { applying: 60, underwriting: 3_540 };
    // The one with the most ended ones comes last in the list.
    const rows = [
      listed({ agentProfileId: undefined }),
      ended('boarded', { stageSeconds }),
      ended('declined'),
    ];
    expect(figuresOf(rows, { by: 'agent' }).groups).toEqual([
      { group: '101', running: 0, waiting: 0, succeeded: 1, others: 1, medianSeconds: 3_600 },
      { group: null, running: 1, waiting: 0, succeeded: 0, others: 0, medianSeconds: null },
    ]);
  });

  // Alone notices a count that is replaced by the last onboarding of a group.
  it('add up all ends of a group', () => {
    const rows = ['declined', 'withdrawn', 'boarded', 'boarded', 'declined'] as const;
    const { groups } = figuresOf(
      rows.map((outcome) => ended(outcome)),
      { by: 'agent' },
    );
    expect(groups).toMatchObject([{ group: '101', succeeded: 2, others: 3 }]);
  });

  it('of 10,000 onboardings need a number for each stage time, and ten waits of each kind', () => {
    const tally = new Tally({ now: NOW, firstStarts: new Map() });
    for (let hours = 1; hours <= 10_000; hours += 1)
      tally.add(listed({ startedAt: ago(hours), requirements: [note(hours, 1)] }));
    const { longest, running } = tally.figures;
    expect(running).toBe(10_000);
    const since = longest.map((one) => one.since);
    expect([since.length, since[0], since[9]]).toEqual([
      20,
      ago(10_000).toISOString(),
      ago(9_991).toISOString(),
    ]);
  });
});

it.each([
  ['2026-01-01T00:00:00Z', '2025-12-29', '2026-W01'],
  ['2027-01-03T23:59:59Z', '2026-12-28', '2026-W53'],
  ['2027-01-04T00:00:00Z', '2027-01-04', '2027-W01'],
  ['2024-02-29T12:00:00Z', '2024-02-26', '2024-W09'],
])('the week of %s begins on Monday %s and is %s', (date, monday, week) => {
  expect([mondayOf(new Date(date)), weekOf(monday)]).toEqual([monday, week]);
});
