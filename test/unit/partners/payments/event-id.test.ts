import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIdOf } from '../../../../src/partners/payments/client.js';

describe('an event id', () => {
  it.each([
    ['take-payment-corner-bakery', 'capture', '07b7b05d-0aec-835c-8071-f98757841481'],
    ['take-payment-corner-bakery', 'refund-2', 'cc9e9c5a-1e1d-8d3e-96dd-b6b451672f9a'],
    ['take-payment-café', 'capture', '65980151-d7f1-8c1e-b370-872f79b36290'],
  ])('of %s and %s is always %s', (workflowId, step, eventId) => {
    expect(eventIdOf(workflowId, step)).toBe(eventId);
  });

  it('is a UUID of version 8', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    fc.assert(
      fc.property(fc.string(), fc.string(), (workflowId, step) => uuid.test(eventIdOf(workflowId, step))),
    );
  });

  it('differs for every other workflow and step, also where the two texts joined are the same', () => {
    expect(eventIdOf('a-b', 'c')).not.toBe(eventIdOf('a', 'b-c'));
    expect(eventIdOf('ab', 'c')).not.toBe(eventIdOf('a', 'bc'));
    expect(eventIdOf('a","b', 'c')).not.toBe(eventIdOf('a', 'b","c'));
    const pair = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: (one) => JSON.stringify(one) }), (pairs) => {
        expect(new Set(pairs.map(([workflowId, step]) => eventIdOf(workflowId, step))).size).toBe(
          pairs.length,
        );
      }),
    );
  });
});
