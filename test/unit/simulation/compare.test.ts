import { describe, expect, it } from 'vitest';
import { differenceOf, ORDER, reasonsOf } from '../../../simulation/oracle/compare.js';
import type { Fact } from '../../../simulation/oracle/facts.js';

const event = (kind: string, of: string, what = '{}'): Fact => ({ kind, of, what });
const facts = [
  event('activityTaskScheduled', 'createMerchant 1'),
  event('timerStarted', 'timerStarted 1', '{"startToFireTimeout":"60 s"}'),
  event('activityTaskCompleted', 'createMerchant 1', '{"result":1}'),
  event('timerFired', 'timerStarted 1'),
] as const;
const [scheduled, timer, completed, fired] = facts;
const history = (...those: readonly Fact[]) => ({ name: 'run', facts: those });
const own = history(...facts);

describe('the comparison of histories', () => {
  it('has no reason for a difference when there is none', () => {
    expect(reasonsOf(own, own)).toEqual([]);
  });

  it('knows that tasks and the order of what happens side by side may differ', () => {
    const task = event('workflowTaskScheduled', 'workflowTaskScheduled 1');
    expect(reasonsOf(own, history(scheduled, task, timer, completed, fired))).toEqual([
      expect.stringMatching(/^workflow tasks/),
    ]);
    expect(reasonsOf(own, history(scheduled, timer, fired, completed))).toEqual([ORDER]);
  });

  it.each([
    ['an event is missing', [scheduled, timer, completed]],
    ['an activity ends before it begins', [completed, timer, scheduled, fired]],
    [
      'a timer has another length',
      [scheduled, { ...timer, what: '{"startToFireTimeout":"61 s"}' }, completed, fired],
    ],
    ['an activity returns something else', [scheduled, timer, { ...completed, what: '{"result":2}' }, fired]],
  ] as const)('notices that %s', (_, those) => {
    expect(reasonsOf(own, history(...those))).toBeUndefined();
    expect(differenceOf(own, history(...those))).toMatch(/^differs after \d events/);
  });
});
