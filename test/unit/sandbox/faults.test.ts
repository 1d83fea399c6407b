import { describe, expect, it } from 'vitest';
import { type FaultPlan, Faults } from '../../../src/sandbox/faults.js';

const plan = (more: Partial<FaultPlan> = {}): FaultPlan => ({
  fault: '429',
  operation: 'create-merchant',
  times: 1,
  milliseconds: 0,
  ...more,
});

const planned = (...plans: FaultPlan[]) => {
  const faults = new Faults();
  for (const each of plans) faults.plan(each);
  return faults;
};

it.each<[string, FaultPlan[], [about: string, met: string | undefined, operation?: string][]]>([
  [
    'waits for the call that has the text, and leaves others alone',
    [plan({ about: 'm-1' })],
    [
      ['{"guid":"m-2"}', undefined],
      ['m-1', undefined, 'submit-merchant'],
      ['{"guid":"m-1"}', '429'],
      ['m-1', undefined],
    ],
  ],
  [
    'does not hold up one that was planned later for any call',
    [plan({ about: 'm-1' }), plan({ fault: '500-before-commit' })],
    [
      ['m-2', '500-before-commit'],
      ['m-1', '429'],
    ],
  ],
  [
    'hits as often as it is planned',
    [plan({ about: 'm-1', times: 2 })],
    [
      ['m-1', '429'],
      ['m-2', undefined],
      ['m-1', '429'],
      ['m-1', undefined],
    ],
  ],
])('a fault that is planned for what a call is about %s', (_, plans, calls) => {
  const faults = planned(...plans);
  for (const [text, met, operation = 'create-merchant'] of calls)
    expect(faults.next({ system: 'boarding', operation }, () => `/api ${text}`)?.fault).toBe(met);
});

describe('forgetting faults', () => {
  it('of one text leaves the others', () => {
    const other = plan({ about: 'm-2' });
    const faults = planned(plan({ about: 'm-1' }), other, plan());
    faults.clear('m-1');
    expect(faults.report.waiting).toEqual([other, plan()]);
    faults.clear();
    expect(faults.report.waiting).toEqual([]);
  });

  it('lets go of the calls that they delay, and of no others', async () => {
    const faults = new Faults();
    const ended: string[] = [];
    const delayed = ['m-1', 'm-2'].map(async (about) => {
      await faults.delay(plan({ fault: 'delay', about, milliseconds: 60_000 }));
      ended.push(about);
    });
    faults.clear('m-2');
    await delayed[1];
    expect(ended).toEqual(['m-2']);
    faults.clear();
    await Promise.all(delayed);
    expect(ended).toEqual(['m-2', 'm-1']);
  });

  it('is not needed for a delay to end', async () => {
    await new Faults().delay(plan({ fault: 'delay', milliseconds: 1 }));
  });
});
