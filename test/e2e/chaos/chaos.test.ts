import { expect, it } from 'vitest';
import { chaos } from '../../rigs/chaos/chaos.js';
import { changedBuild } from '../../rigs/worker/changed-build.js';

/** In brief weather each kind of incident happens once. test/nightly/chaos/chaos.test.ts has more, and `npm run chaos` hundreds. */
it('nothing is lost, doubled or leaked while a worker, a receiver and Temporal are killed and the partners fail', async () => {
  const build = await changedBuild('brief-writes');
  const size = { seed: 7, count: 4, lastsMs: 6_000, paceMs: 300 };
  // Times are those of a busy machine: what counts is that nothing is lost or doubled, however long it takes.
  const { wrong, waiting, incidents, links } = await chaos({ build, ...size, timeoutMs: 180_000 });
  expect(wrong).toEqual([]);
  expect(waiting).toEqual([]);
  // Merchants answer some of the questions on their page.
  expect(links.answered).toBeGreaterThan(0);
  expect(
    incidents.map(({ what }) => what.replace(/^(worker|receiver) \d|,.*| for .*/g, '$1')).sort(),
  ).toEqual([
    'receiver is killed',
    'server is killed',
    'worker is cut off',
    'worker is killed',
    'worker is stopped',
  ]);
}, 900_000);
