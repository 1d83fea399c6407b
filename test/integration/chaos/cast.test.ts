import { describe, expect, it } from 'vitest';
import { castOf, faultsOf } from '../../rigs/chaos/cast.js';
import { BUSINESSES, MERCHANTS } from '../../rigs/chaos/roles.js';
import { weatherOf } from '../../rigs/chaos/weather.js';
import { PARTS } from '../../rigs/cluster/cluster.js';
import { markers } from '../../rigs/privacy/markers.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';

const marked = markers();
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('what happens in a run', () => {
  it('is decided by its seed alone', () => {
    const run = (seed: number) => plain([castOf(seed, 40, marked), weatherOf(seed, 40, 20_000, ['server'])]);
    expect(run(7)).toEqual(run(7));
    expect(run(8)).not.toEqual(run(7));
  });

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
    const names = (scenarios: readonly { name: string }[]) => scenarios.map(({ name }) => name);
    const ofBusinesses = [...names(businesses), ...Object.keys(ssns).map((ssn) => `ssn ${ssn}`)];
    expect([...of('boarding')].sort()).toEqual(names(merchants).sort());
    expect([...of('business')].sort()).toEqual(ofBusinesses.sort());
    expect([MERCHANTS.length, BUSINESSES.length]).toEqual([merchants.length, ofBusinesses.length]);
  });

  it('plans only faults that the sandbox accepts, and kills each process', async () => {
    const sandbox = await runSandbox();
    const { faults, kills } = weatherOf(7, 100, 60_000, PARTS);
    for (const { plan } of faults.filter(({ plan: { fault } }) => fault !== 'refuse'))
      await sandbox.control('POST /sandbox/faults', JSON.stringify(plan));
    const known = await sandbox.control<{ faults: object }>('GET /sandbox/scenarios');
    // A planned rejection is left out: it would ask a person to correct valid input.
    const expected = Object.keys(known.faults).filter((fault) => fault !== '400');
    expect([...new Set(faults.map(({ plan }) => plan.fault))].sort()).toEqual(expected.sort());
    const targets = ['batch', 'receiver 1', 'receiver 2', 'worker 1', 'worker 2', ...PARTS].sort();
    expect([...new Set(kills.map(({ target }) => target))].sort()).toEqual(targets);
    expect([...new Set(weatherOf(7, 20, 20_000, PARTS).kills.map(({ target }) => target))].sort()).toEqual(
      targets,
    );
  });

  it('loses reviews and submissions while the merchant moves', () => {
    const lost = weatherOf(7, 100, 120_000, ['server']).faults.flatMap(({ plan }) =>
      plan.meanwhile ? [plan] : [],
    );
    const operations = lost.map(({ operation }) => operation).sort();
    expect(operations).toEqual([
      ...Array(4).fill('request-underwriting-review'),
      ...Array(4).fill('submit-merchant'),
    ]);
    for (const { fault } of lost) expect(fault).toMatch(/-before-commit$/);
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

describe('two of a franchise', () => {
  const franchises = castOf(7, 100, marked).filter(({ twin }) => twin);
  const names = [...new Set(franchises.map(({ businessName }) => businessName))];
  const pairs = names.map((name) => franchises.filter(({ businessName }) => businessName === name));

  it('have the same name, and different legal names and EINs', () => {
    expect(pairs).toHaveLength(10);
    for (const pair of pairs) {
      expect(pair.map(({ twin }) => twin).sort()).toEqual(['first', 'second']);
      expect(new Set(pair.map(({ type }) => type)).size).toBe(1);
      expect(new Set(pair.map(({ legalName }) => legalName)).size).toBe(2);
      const eins = pair.map(
        ({ input }) => /"employerIdentificationNumber":"(\d+)"/.exec(JSON.stringify(input))?.[1],
      );
      expect(new Set(eins).size).toBe(2);
    }
  });

  it('are requested in the same way, and the submission of the first hangs and is lost', () => {
    expect(new Set(franchises.map(({ by }) => by))).toEqual(new Set(['client']));
    const lost = faultsOf(franchises).map(({ fault, about }) => `${fault} ${about}`);
    const firsts = franchises.filter(({ twin }) => twin === 'first');
    expect(lost).toEqual(firsts.map(({ legalName }) => `drop-after-delay "${legalName}"`));
  });
});
