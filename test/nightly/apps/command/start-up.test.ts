import { expect, it } from 'vitest';
import { loadedBy, SDK } from '../../../rigs/commands/loaded.js';

it.each([
  ['--help'],
  ['--version'],
  ['help', 'list'],
  ['help', 'requirements'],
  ['completion', 'bash'],
  ['complete', 'bash', '--', 'gangway list --stage '],
])('loads no SDK for gangway %s %s', async (...args) => {
  expect(await loadedBy(args)).not.toMatch(SDK);
});
