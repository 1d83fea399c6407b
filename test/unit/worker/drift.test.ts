import { describe, expect, it } from 'vitest';
import { boardingOperations } from '../../../src/partners/boarding/operations.js';
import type { InspectedResponse } from '../../../src/partners/client.js';
import { watchDrift } from '../../../src/worker/drift.js';

const HOUR_MS = 3_600_000;

const { getStatus } = boardingOperations();
const STATUS = { status: 'Pending', statusDate: '2026-01-05T12:00:00Z', comment: null };

/** Everything that a watch counts and logs. */
function watched() {
  const counted: Record<string, unknown>[] = [];
  const logged: [string, unknown][] = [];
  let clock = 0;
  const inspect = watchDrift({
    meter: {
      createCounter: () => ({ add: (_: number, labels: object) => void counted.push({ ...labels }) }),
    } as never,
    logger: { warn: (message, meta) => void logged.push([message, meta]) },
    account: 'acme',
    now: () => clock,
  });
  const receive = (payload: unknown, more: Partial<InspectedResponse> = {}) =>
    inspect({
      system: 'boarding',
      name: 'get-status',
      operation: getStatus,
      status: 200,
      hasEnvelope: true,
      payload,
      failed: false,
      ...more,
    });
  const pass = (ms: number) => {
    clock += ms;
  };
  return { counted, logged, receive, pass };
}

describe('drift', () => {
  it('counts nothing while responses conform', () => {
    const { counted, logged, receive } = watched();
    receive(STATUS);
    expect([counted, logged]).toEqual([[], []]);
  });

  it('is counted each time, and logged once an hour, without a value', () => {
    const { counted, logged, receive, pass } = watched();
    const labels = {
      system: 'boarding',
      account: 'acme',
      operation: 'get-status',
      field: 'region',
      kind: 'unknown-field',
    };
    const drifted = { ...STATUS, region: 'Secret Valley' };
    receive(drifted);
    receive(drifted);
    expect(counted).toEqual([labels, labels]);
    const about = { expected: 'nothing', got: 'string of 13 characters', isNeeded: false };
    expect(logged).toEqual([['a response differs from the catalogue', { ...labels, ...about }]]);
    for (const hours of [1, 2, 3]) {
      pass(HOUR_MS);
      for (const _ of [1, 2, 3]) receive(drifted);
      expect([hours, logged.length]).toEqual([hours, hours + 1]);
    }
  });

  it.each([
    ['a missing field', { status: 'Pending', comment: null }, {}, 'statusDate', 'missing-field'],
    ['another type', { ...STATUS, statusDate: 5 }, {}, 'statusDate', 'other-type'],
    ['a new status', { ...STATUS, status: 'On Hold' }, {}, 'status', 'unknown-status'],
    ['another HTTP status', undefined, { status: 418, failed: true }, '', 'http-status'],
    ['a body that cannot be read', undefined, { hasEnvelope: false }, '', 'other-form'],
  ])('is %s', (_, payload, more, field, kind) => {
    const { counted, receive } = watched();
    receive(payload, more);
    expect(counted).toMatchObject([{ operation: 'get-status', field, kind }]);
  });

  it('is counted and logged by itself for each operation, field, kind and account', () => {
    const { counted, logged, receive } = watched();
    const { getStatus: operation } = boardingOperations();
    const drifts: [Partial<InspectedResponse>, object, field: string, kind: string][] = [
      'get-status',
      'get-fees',
    ].flatMap((name) => [
      [{ name, operation }, { ...STATUS, region: 1 }, 'region', 'unknown-field'],
      [{ name, operation }, { ...STATUS, zone: 1 }, 'zone', 'unknown-field'],
      [{ name, operation }, { ...STATUS, statusDate: 5 }, 'statusDate', 'other-type'],
      [{ name, operation }, { status: 'Pending', comment: null }, 'statusDate', 'missing-field'],
    ]);
    const expected = drifts.map(([{ name }, , field, kind]) => ({
      system: 'boarding',
      account: 'acme',
      operation: name,
      field,
      kind,
    }));
    for (const times of [1, 2, 3]) {
      for (const [of, payload] of drifts) receive(payload, of);
      expect(counted).toEqual(Array(times).fill(expected).flat());
    }
    // Within the hour, each is logged once.
    expect(logged.map(([, about]) => about)).toEqual(expected.map((each) => expect.objectContaining(each)));
  });

  it('that is corrected is counted no more, and is logged again with its return', () => {
    const { counted, logged, receive, pass } = watched();
    const drifted = { ...STATUS, region: 1 };
    receive(drifted);
    for (let reads = 0; reads < 3; reads += 1) receive(STATUS);
    expect([counted.length, logged.length]).toEqual([1, 1]);
    pass(HOUR_MS);
    receive(STATUS);
    receive(drifted);
    expect([counted.length, logged.length]).toEqual([2, 2]);
  });

  // Alone notices partners that share the labels of an operation that both have.
  it('of a second partner has labels of its own where the same operation of the first one has too many', () => {
    const { counted, receive } = watched();
    for (let number = 0; number < 101; number++) receive({ ...STATUS, [`x${number}`]: 1 });
    receive({ ...STATUS, region: 1 }, { system: 'payments' });
    expect(counted.slice(-2).map(({ system, field }) => [system, field])).toEqual([
      ['boarding', 'other'],
      ['payments', 'region'],
    ]);
  });

  it('of a second operation has labels of its own where the first one has too many', () => {
    const { counted, receive } = watched();
    for (let number = 0; number < 101; number++) receive({ ...STATUS, [`x${number}`]: 1 });
    receive({ ...STATUS, region: 1 }, { name: 'get-fees' });
    expect(counted.slice(-2).map(({ field }) => field)).toEqual(['other', 'region']);
  });

  it('has a bounded number of labels, whatever a partner responds with', () => {
    const { counted, logged, receive } = watched();
    for (let number = 0; number < 200; number++) receive({ ...STATUS, [`x${number}`]: 1 });
    const fields = new Set(counted.map(({ field }) => field));
    expect(counted).toHaveLength(200);
    expect([fields.size, fields.has('other'), logged.length]).toEqual([101, true, 101]);
  });

  it('never fails a call, even if the comparison does', () => {
    const { logged, receive } = watched();
    for (const name of ['get-status', 'get-fees', 'get-status'])
      receive(STATUS, { system: 'unheard-of', name });
    const message = 'could not compare a response with the catalogue';
    const about = (operation: string) => expect.objectContaining({ operation });
    expect(logged).toEqual([
      [message, about('get-status')],
      [message, about('get-fees')],
    ]);
  });
});
