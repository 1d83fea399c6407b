import { describe, expect, it } from 'vitest';
import { type FaultPlan, Faults } from '../../../../src/apps/sandbox/faults.js';

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

const OF_ONE = plan({ about: 'm-1' });
it.each<[string, FaultPlan[], calls: string, met: string]>([
  [
    'waits for the call that has the text',
    [OF_ONE],
    'create m-2, submit m-1, create m-1, create m-1',
    '- - 429 -',
  ],
  [
    'does not hold up one for any call',
    [OF_ONE, plan({ fault: 'delay' })],
    'create m-2, create m-1',
    'delay 429',
  ],
  [
    'hits as often as planned',
    [{ ...OF_ONE, times: 2 }],
    'create m-1, create m-2, create m-1, create m-1',
    '429 - 429 -',
  ],
])('a fault that is planned for what a call is about %s', (_, plans, calls, met) => {
  const faults = planned(...plans);
  const matches = calls.split(', ').map((call) => {
    const [verb, text] = call.split(' ');
    return (
      faults.next({ system: 'boarding', operation: `${verb}-merchant` }, () => `{"guid":"${text}"}`)?.fault ??
      '-'
    );
  });
  expect(matches.join(' ')).toBe(met);
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
