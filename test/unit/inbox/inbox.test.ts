import { beforeEach, describe, expect, it } from 'vitest';
import {
  changeableFields,
  changesOf,
  checkCorrection,
  isCorrectable,
} from '../../../src/forms/corrections.js';
import { byDue, itemsOf, onboardingName, shortIds } from '../../../src/inbox/inbox.js';
import { waitsUnread } from '../../../src/inbox/waits.js';
import type { Requirement } from '../../../src/messages/requirements.js';
import type { Listed } from '../../../src/temporal/search.js';
import { UnreadableOnboarding } from '../../../src/temporal/unreadable.js';
import { stoppedAt } from '../../rigs/clock.js';
import { merchant } from '../../rigs/inputs.js';

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
    expect(itemsOf(listed([dueAt]))).toMatchObject([{ task: 'answer ticket', dueAt, overdue }]);
  });

  it('name who has them and who proposed an answer, and count those that the list has no room for', () => {
    const claim = { actor: 'olga', until: NOON };
    const proposal = { actor: 'pete', at: NOON } as never;
    const [one, two, rest, ...none] = itemsOf(listed([NOON, '2026-02-01'], 3, { claim, proposal }));
    const handled = { claimedBy: 'olga', claimedUntil: NOON, proposedBy: 'pete', proposedAt: NOON };
    expect(one).toMatchObject(handled);
    expect(one).not.toHaveProperty('claim');
    expect([two?.dueAt, rest?.task, rest?.dueAt, rest?.overdue, none]).toEqual([
      ...['2026-02-01', 'and 3 more', '2026-02-01', false, []],
    ]);
    expect(itemsOf(listed([], 2))).toEqual([expect.not.objectContaining({ dueAt: expect.anything() })]);
    expect(itemsOf(listed([NOON]))[0]).not.toHaveProperty('claimedBy');
    const [early, late] = [{ dueAt: NOON }, { dueAt: '2026-02-01' }] as never[];
    expect([late, early].sort(byDue as never)).toEqual([early, late]);
  });

  it('have the shortest id that every command accepts', () => {
    const merchants = ['merchant-boarding-a', 'merchant-boarding-b'];
    const ids = [...merchants, 'business-onboarding-b@north', 'operation-close-card-c'];
    expect(ids.map(shortIds(ids))).toEqual(['a', ...ids.slice(1)]);
    expect(shortIds([])('merchant-boarding-x')).toBe('merchant-boarding-x');
    expect(onboardingName('merchant-boarding-a@north')).toBe('a@north');
    // It would be taken for a workflow id.
    expect(onboardingName('merchant-boarding-operation-1')).toBeUndefined();
  });
});

describe('a correction', () => {
  it('shows what changes, private values masked, and new fields that are like others', () => {
    const input = { merchant: { dba: 'A', email: 'a@b.test' }, fees: { rate: 2 } };
    const patch = { merchant: { dba: null, email: 'c@d.test' }, fees: { rate: 2, rates: 3 } };
    expect(changesOf({ input } as never, patch)).toEqual([
      { field: 'merchant.dba', before: 'A', after: undefined, remark: '' },
      { field: 'merchant.email', before: '[Redacted]', after: '[Redacted]', remark: '' },
      { field: 'fees.rates', before: undefined, after: 3, remark: 'new field; did you mean rate?' },
    ]);
    const asked = ['merchant.taxClassification'];
    const remark = 'new field that the partner asked for; sent as is';
    expect(changesOf({ input, asked } as never, { merchant: { taxClassification: 'LLC' } })).toEqual([
      { field: 'merchant.taxClassification', before: undefined, after: 'LLC', remark },
    ]);
  });

  it.each([
    ['merchantBoarding', 'merchant-boarding-a', true],
    ['businessOnboarding', 'business-onboarding-a', true],
    ['terminalProvisioning', 'terminal-provisioning-a', true],
    ['customerOnboarding', 'customer-onboarding-a', false],
    ['partnerAccount', 'partner-account-boarding', false],
    ['none', 'gangway-events', false],
  ])('is possible for %s: %s %s', (_, id, isPossible) => {
    expect(isCorrectable(id)).toBe(isPossible);
  });

  it('has a place for the fields that the partner asked for and no schema has', () => {
    const asked = ['merchant.taxClassification', 'merchant.email', 'guid'];
    const known = { posNames: [], accounts: {} } as never;
    const fields = changeableFields({ type: 'merchantBoarding', input: merchant(), asked }, known);
    const free = { type: 'any', rule: 'the partner asked for it; sent as is', now: undefined };
    expect(fields.filter(({ name }) => asked.includes(name))).toMatchObject([
      { name: 'merchant.email', type: 'string' },
      { name: 'merchant.taxClassification', ...free },
    ]);
  });

  it('of a number to a text that may be a number of another language is not valid', () => {
    const input = merchant(undefined, { application: { rate: 2.5, name: 'x' } });
    const correctable = { type: 'merchantBoarding', fields: ['application'], input } as never;
    const known = { posNames: [], accounts: {} } as never;
    const problems = (application: object) => {
      try {
        checkCorrection(correctable, { application }, known);
        return [];
      } catch (error) {
        return (error as { problems: { field: string }[] }).problems.map(({ field }) => field);
      }
    };
    expect([problems({ rate: '2,5' }), problems({ name: '2,5' }), problems({ rate: 3 })]).toEqual([
      ...[['application.rate'], [], []],
    ]);
  });
});

it.each([
  ['no-response', '2026-01-31T11:59:00.000Z', 0],
  ['no-worker', NOON, 1],
  // Until then a worker that does not respond counts as busy.
  ['no-worker', '2026-01-31T12:00:00.001Z', 0],
] as const)(
  'an onboarding that cannot be read (%s) with workers that are busy until %s has %i obstacles',
  (obstacle, until, count) => {
    const error = new UnreadableOnboarding('merchant-boarding-a', obstacle, 'why');
    const waits = waitsUnread(error, Date.parse(until));
    expect([waits.obstacles.length, waits.state, waits.asked]).toEqual([count, undefined, []]);
  },
);
