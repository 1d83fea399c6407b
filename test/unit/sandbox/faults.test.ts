import { describe, expect, it } from 'vitest';
import { type FaultPlan, Faults } from '../../../src/sandbox/faults.js';

const CREATE = { system: 'boarding', operation: 'create-merchant' };

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

/** The fault that a call meets whose URL and body are this text. */
const met = (faults: Faults, text: string, called = CREATE) => faults.next(called, () => text)?.fault;

describe('a fault that is planned for what a call is about', () => {
  it('waits for the call that has the text, and leaves others alone', () => {
    const faults = planned(plan({ about: 'm-1' }));
    expect(met(faults, '/api/create {"guid":"m-2"}')).toBeUndefined();
    expect(
      met(faults, '/api/create {"guid":"m-1"}', { ...CREATE, operation: 'submit-merchant' }),
    ).toBeUndefined();
    expect(met(faults, '/api/create {"guid":"m-1"}')).toBe('429');
    expect(met(faults, '/api/create {"guid":"m-1"}')).toBeUndefined();
  });

  it('does not hold up one that was planned later for any call', () => {
    const faults = planned(plan({ about: 'm-1' }), plan({ fault: '500-before-commit' }));
    expect(met(faults, 'm-2')).toBe('500-before-commit');
    expect(met(faults, 'm-1')).toBe('429');
  });

  it('hits as often as it is planned', () => {
    const faults = planned(plan({ about: 'm-1', times: 2 }));
    expect(['m-1', 'm-2', 'm-1', 'm-1'].map((text) => met(faults, text))).toEqual([
      '429',
      undefined,
      '429',
      undefined,
    ]);
  });
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
