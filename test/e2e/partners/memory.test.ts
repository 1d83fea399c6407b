import { expect, it } from 'vitest';
import { run } from '../../rigs/processes.js';

it('nothing of a call is kept when it is over', async () => {
  // In a process of its own, whose signals are those of the calls.
  const { stdout, stderr } = await run(process.execPath, ['test/rigs/partners/many-calls.mjs'], {});
  const { before, after, listeners } = JSON.parse(stdout || '{}');
  // What the latest call leaves to the next turns of the event loop is not kept.
  expect(after, stderr).toBeLessThan(before + 50);
  expect(listeners).toBe(0);
});
