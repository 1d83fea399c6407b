import { expect, it } from 'vitest';
import { fingerprint } from '../../../src/workflows/journey/outbound-events.js';

it('a fingerprint is FNV-1a of the JSON text, in 8 digits', () => {
  expect(fingerprint(0)).toBe('350ca8af');
  expect(fingerprint([0, { outcome: 'declined' }])).not.toBe(fingerprint([0, { outcome: 'cancelled' }]));
  expect(fingerprint([0, { outcome: 'declined' }])).toMatch(/^[0-9a-f]{8}$/);
});
