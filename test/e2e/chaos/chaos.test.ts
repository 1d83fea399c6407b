import { expect, it } from 'vitest';
import { chaos } from '../../rigs/chaos/chaos.js';
import { killedAfterMark } from '../../rigs/chaos/questions.js';
import { changedBuild } from '../../rigs/worker/changed-build.js';

const COUNT = 16;

it('nothing is lost, doubled or leaked while workers, receivers and Temporal are killed and the partners fail', async () => {
  const build = await changedBuild('brief-writes');
  // Times are those of a busy machine: what counts is that nothing is lost or doubled, however long it takes.
  const times = { lastsMs: 12_000, paceMs: 300, patienceMs: 180_000 };
  const { before, after, truth, problems, incidents, kills, cuts, stops } = await chaos({
    ...{ build, seed: 7, count: COUNT, ...times },
  });
  const wrong = (verdicts: typeof before.verdicts) =>
    verdicts.filter(({ end }) => end === 'wrong').map(({ party, why }) => [party.workflowId, ...why]);
  expect({ before: wrong(before.verdicts), after: wrong(after.verdicts), problems }).toEqual({
    before: [],
    after: [],
    problems: [],
  });
  expect([...before.unowned, ...after.unowned]).toEqual([]);
  // Nothing is believed that is not so, and nothing asked about a request that cannot have left.
  expect(truth.contradicted).toEqual([]);
  const neverSent = truth.questions.filter(({ request }) => request === undefined);
  expect(neverSent.filter((question) => killedAfterMark(question, incidents) === undefined)).toEqual([]);
  expect(truth.questions.length).toBeGreaterThan(0);
  // The ops script answers the uncertain writes from the ledger, and then everyone has ended.
  expect(before.verdicts.some(({ end }) => end === 'waits')).toBe(true);
  expect(after.verdicts.map(({ end }) => end)).toEqual(Array(COUNT).fill('as expected'));
  expect(kills).toEqual({
    'worker 1': 1,
    'worker 2': 1,
    'receiver 1': 1,
    'receiver 2': 1,
    server: 1,
  });
  expect({ cuts, stops }).toEqual({ cuts: 2, stops: 2 });
}, 900_000);
