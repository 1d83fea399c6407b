import { expect, it } from 'vitest';
import { chaos } from '../../rigs/chaos/chaos.js';
import { changedBuild } from '../../rigs/worker/changed-build.js';

it('nothing is lost, doubled or leaked while workers, receivers and Temporal are killed and the partners fail', async () => {
  const build = await changedBuild('brief-writes');
  const size = { seed: 7, count: 16, lastsMs: 12_000, paceMs: 300 };
  // Times are those of a busy machine: what counts is that nothing is lost or doubled, however long it takes.
  const { wrong, waited, waiting, questions, incidents } = await chaos({
    build,
    ...size,
    timeoutMs: 180_000,
  });
  expect(wrong).toEqual([]);
  expect(questions.length).toBeGreaterThan(0);
  // The ops script answers the uncertain writes from the ledger, and then everyone has ended.
  expect(waited).toBeGreaterThan(0);
  expect(waiting).toEqual([]);
  expect(incidents.map(({ what }) => what.replace(/,.*| for .*/, '')).sort()).toEqual([
    'receiver 1 is killed',
    'receiver 2 is killed',
    'server is killed',
    'worker 1 is cut off',
    'worker 1 is killed',
    'worker 1 is stopped',
    'worker 2 is cut off',
    'worker 2 is killed',
    'worker 2 is stopped',
  ]);
}, 900_000);
