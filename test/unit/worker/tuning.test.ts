import { expect, it } from 'vitest';
import { cachedWorkflows } from '../../../src/worker/tuning.js';

const MIB = 1_024 * 1_024;

it.each([
  [256, 128],
  [512, 256],
  [1_023, 500],
  [24_000, 500],
])('a worker with %d MiB keeps %d workflows in memory', (mib, workflows) => {
  expect(cachedWorkflows(mib * MIB)).toBe(workflows);
});
