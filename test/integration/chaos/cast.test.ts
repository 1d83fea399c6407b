import { describe, expect, it } from 'vitest';
import { castOf } from '../../rigs/chaos/cast.js';
import { BUSINESSES, MERCHANTS } from '../../rigs/chaos/roles.js';
import { weatherOf } from '../../rigs/chaos/weather.js';
import { markers } from '../../rigs/privacy/markers.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';

const marked = markers();
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('what happens in a run', () => {
  it('is decided by its seed alone', () => {
    const run = (seed: number) => plain([castOf(seed, 40, marked), weatherOf(seed, 40, 20_000)]);
    expect(run(7)).toEqual(run(7));
    expect(run(8)).not.toEqual(run(7));
  });

  it('has every scenario of the sandbox in it', async () => {
    const sandbox = await runSandbox();
    const { merchants, businesses, ssns } = await sandbox.control<{
      merchants: { name: string }[];
      businesses: { name: string }[];
      ssns: object;
    }>('GET /sandbox/scenarios');
    const played = castOf(7, 300, marked);
    const of = (part: 'boarding' | 'business') =>
      new Set(played.flatMap(({ parts }) => parts[part]?.scenario ?? []));
    const names = (scenarios: readonly { name: string }[]) => scenarios.map(({ name }) => name);
    const ofBusinesses = [...names(businesses), ...Object.keys(ssns).map((ssn) => `ssn ${ssn}`)];
    expect([...of('boarding')].sort()).toEqual(names(merchants).sort());
    expect([...of('business')].sort()).toEqual(ofBusinesses.sort());
    expect([MERCHANTS.length, BUSINESSES.length]).toEqual([merchants.length, ofBusinesses.length]);
  });

  it('plans only faults that the sandbox takes, and kills each process', async () => {
    const sandbox = await runSandbox();
    const { faults, kills } = weatherOf(7, 100, 60_000);
    for (const { plan } of faults.filter(({ plan: { fault } }) => fault !== 'refuse'))
      await sandbox.control('POST /sandbox/faults', JSON.stringify(plan));
    const known = await sandbox.control<{ faults: object }>('GET /sandbox/scenarios');
    expect([...new Set(faults.map(({ plan }) => plan.fault))].sort()).toEqual(
      Object.keys(known.faults).sort(),
    );
    const targets = ['batch', 'receiver', 'server', 'worker 1', 'worker 2'];
    expect([...new Set(kills.map(({ target }) => target))].sort()).toEqual(targets);
    expect([...new Set(weatherOf(7, 20, 20_000).kills.map(({ target }) => target))].sort()).toEqual(targets);
  });
});
