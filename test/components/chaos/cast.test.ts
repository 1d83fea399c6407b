import { describe, expect, it } from 'vitest';
import { PARTS } from '../../../scripts/cluster/cluster.js';
import { castOf } from '../../../simulation/cast.js';
import { BUSINESSES, MERCHANTS } from '../../../simulation/roles.js';
import { CALL_FAULTS, type CallFault } from '../../../src/apps/sandbox/fault-kinds.js';
import { weatherOf } from '../../rigs/chaos/weather.js';
import { markers } from '../../rigs/privacy/markers.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';

const marked = markers();

/** The merchant is submitted although it reads as submitted: test/workflows/habits.test.ts plays it. */
const ELSEWHERE = 'pending-first';

describe('what happens in a run', () => {
  it('includes every scenario of the sandbox', async () => {
    const sandbox = await runSandbox();
    const { merchants, businesses, ssns } = await sandbox.control<{
      merchants: { name: string }[];
      businesses: { name: string }[];
      ssns: object;
    }>('GET /sandbox/scenarios');
    const played = castOf(7, 300, marked);
    const of = (part: 'boarding' | 'business') =>
      new Set(played.flatMap(({ parts }) => parts[part]?.scenario ?? []));
    const names = (scenarios: readonly { name: string }[]) =>
      scenarios.map(({ name }) => name).filter((name) => name !== ELSEWHERE);
    const ofBusinesses = [...names(businesses), ...Object.keys(ssns).map((ssn) => `ssn ${ssn}`)];
    expect([...of('boarding')].sort()).toEqual(names(merchants).sort());
    expect([...of('business')].sort()).toEqual(ofBusinesses.sort());
    expect([MERCHANTS.length, BUSINESSES.length]).toEqual([names(merchants).length, ofBusinesses.length]);
  });

  it('plans only faults that the sandbox accepts, and kills each process', async () => {
    const sandbox = await runSandbox();
    const { faults, kills } = weatherOf(7, 300, 60_000, PARTS);
    for (const { plan } of faults.filter(({ plan: { fault } }) => fault !== 'refuse'))
      await sandbox.control('POST /sandbox/faults', JSON.stringify(plan));
    const facts = await sandbox.control<{ faults: object }>('GET /sandbox/scenarios');
    // These ask a person to correct valid input, to look up what a response says, or for a code. One doubles what chaos counts.
    const isLeftOut = (fault: string) => {
      const { refuses, isUnclear } = CALL_FAULTS[fault as CallFault] ?? {};
      return refuses || isUnclear || fault === 'code-needed' || fault === 'twice';
    };
    const expected = Object.keys(facts.faults).filter((fault) => !isLeftOut(fault));
    expect([...new Set(faults.map(({ plan }) => plan.fault))].sort()).toEqual(expected.sort());
    const targets = ['batch', 'link', 'receiver 1', 'receiver 2', 'worker 1', 'worker 2', ...PARTS].sort();
    expect([...new Set(kills.map(({ target }) => target))].sort()).toEqual(targets);
    expect([...new Set(weatherOf(7, 20, 20_000, PARTS).kills.map(({ target }) => target))].sort()).toEqual(
      targets,
    );
  });

  it('in brief weather kills and cuts off one of each', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { kills, spells } = weatherOf(seed, 5, 8_000, ['server']);
      expect(kills.map(({ target }) => target)).toEqual(['worker 1', 'receiver 1', 'server', 'batch']);
      expect(spells.map(({ how }) => how)).toEqual(['cut off', 'stopped']);
      expect(new Set(spells.map(({ target }) => target)).size).toBe(2);
    }
  });

  it.each([
    [120_000, [12_000, 60_000, 5_000, 20_000]],
    [20_000, [10_000, 10_000, 5_000, 10_000]],
  ])('cuts workers off and stops them, within %i ms', (lastsMs, lengths) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { spells } = weatherOf(seed, 100, lastsMs, ['server']);
      expect(spells.map(({ milliseconds }) => milliseconds)).toEqual(lengths);
      for (const { at, milliseconds } of spells) expect(at + milliseconds).toBeLessThanOrEqual(lastsMs);
      const places = spells.map(({ target, how }) => `${target} ${how}`);
      expect(new Set(places).size, 'never two of a kind for one worker').toBe(4);
    }
  });
});
