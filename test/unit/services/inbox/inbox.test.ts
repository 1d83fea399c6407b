import { beforeEach, describe, expect, it } from 'vitest';
import type { Requirement } from '../../../../src/messages/requirements.js';
import {
  compareDueDates,
  inboxItems,
  shortIds,
  shortName,
  toDo,
} from '../../../../src/services/inbox/inbox.js';
import { unreadableWaits } from '../../../../src/services/inbox/waiting-state.js';
import type { Listed } from '../../../../src/temporal/search.js';
import { UnreadableOnboarding } from '../../../../src/temporal/unreadable.js';
import { stoppedAt } from '../../../rigs/clock.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

describe('the items of a workflow in the inbox', () => {
  const listed = (dueAts: readonly string[], moreRequirements = 0, more: Partial<Requirement> = {}) => {
    const requirements = dueAts.map((dueAt) => ({ id: 'n', kind: 'ticket', raisedAt: NOON, dueAt, ...more }));
    return { workflowId: 'merchant-boarding-m-1', requirements, moreRequirements } as unknown as Listed;
  };

  it.each([
    ['2026-01-31T11:59:59.999Z', true],
    [NOON, false],
  ])('that are due at %s are overdue at noon: %s', (dueAt, overdue) => {
    expect(inboxItems(listed([dueAt]))).toMatchObject([{ task: 'answer ticket', dueAt, overdue }]);
  });

  it('name who has them and who proposed an answer, and count those that the list has no room for', () => {
    const claim = { actor: 'olga', until: NOON };
    const proposal = { actor: 'pete', at: NOON } as never;
    const [one, two, rest, ...none] = inboxItems(listed([NOON, '2026-02-01'], 3, { claim, proposal }));
    const handled = { claimedBy: 'olga', claimedUntil: NOON, proposedBy: 'pete', proposedAt: NOON };
    expect(one).toMatchObject(handled);
    expect(one).not.toHaveProperty('claim');
    expect([two?.dueAt, rest?.task, rest?.dueAt, rest?.overdue, none]).toEqual([
      '2026-02-01',
      'and 3 more',
      '2026-02-01',
      false,
      [],
    ]);
    expect(inboxItems(listed([], 2))).toEqual([expect.not.objectContaining({ dueAt: expect.anything() })]);
    expect(inboxItems(listed([NOON]))[0]).not.toHaveProperty('claimedBy');
    const [early, late] = [{ dueAt: NOON }, { dueAt: '2026-02-01' }] as never[];
    expect([late, early].sort(compareDueDates as never)).toEqual([early, late]);
  });

  it('have the shortest id that every command accepts', () => {
    const merchants = ['merchant-boarding-a', 'merchant-boarding-b'];
    const ids = [...merchants, 'business-onboarding-b@north', 'operation-close-card-c'];
    expect(ids.map(shortIds(ids))).toEqual(['a', ...ids.slice(1)]);
    expect(shortIds([])('merchant-boarding-x')).toBe('merchant-boarding-x');
    expect(shortName('merchant-boarding-a@north')).toBe('a@north');
    // It would be taken for a workflow id.
    expect(shortName('merchant-boarding-operation-1')).toBeUndefined();
  });
});

it.each([
  [[], 0, 'running', ''],
  [['ticket'], 0, 'running', 'answer ticket'],
  [['ticket', 'rejected-input'], 0, 'running', 'answer ticket (1 more)'],
  [['ticket'], 2, 'running', 'answer ticket (2 more)'],
  [['ticket', 'ticket', 'ticket'], 4, 'running', 'answer ticket (6 more)'],
  [['ticket'], 0, 'terminated', ''],
] as const)(
  'of open requirements %j and %i that the list only counts, a %s workflow shows: %j',
  (...input) => {
    const [kinds, moreRequirements, state, text] = input;
    const requirements = kinds.map((kind) => ({ kind, id: kind, raisedAt: NOON, dueAt: NOON }));
    expect(toDo({ state, requirements, moreRequirements } as unknown as Listed)).toBe(text);
  },
);

it.each([
  ['no-response', '2026-01-31T11:59:00.000Z', 0],
  ['no-worker', NOON, 1],
  // Until then a worker that does not respond counts as busy.
  ['no-worker', '2026-01-31T12:00:00.001Z', 0],
] as const)(
  'an unreadable onboarding (%s) with workers busy until %s has %i obstacles',
  (obstacle, until, count) => {
    const error = new UnreadableOnboarding('merchant-boarding-a', obstacle, 'why');
    const waits = unreadableWaits(error, Date.parse(until));
    expect([waits.obstacles.length, waits.state, waits.requirements]).toEqual([count, undefined, []]);
  },
);
