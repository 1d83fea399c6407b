import { expect, it } from 'vitest';
import { loadedBy, SDK } from '../../../rigs/commands/loaded.js';

it('loads the SDK for a command that works with Temporal', async () => {
  expect(await loadedBy(['keys', 'new'])).toMatch(SDK);
});

it.each([
  ['list', '--help'],
  ['explain', 'uncertain-write'],
  ['complete', 'zsh', '--', 'gangway call banking '],
])('loads no SDK for gangway %s %s', async (...args) => {
  expect(await loadedBy(args)).not.toMatch(SDK);
});
