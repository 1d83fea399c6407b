import { expect, it } from 'vitest';
import { period } from '../../../../src/apps/command/partner/statement.js';
import { stoppedAt } from '../../../rigs/clock.js';

it.each([
  ['2026-01-01T00:00:00Z', '2025-12'],
  ['2026-03-31T23:59:59Z', '2026-02'],
])('the previous month of a statement at %s is %s, in UTC', (now, month) => {
  stoppedAt(now);
  expect(period.parse('previous-month')).toBe(month);
});
