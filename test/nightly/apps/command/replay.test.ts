import { expect, it } from 'vitest';
import { run } from '../../../rigs/processes.js';

/** In a process of its own, because the workers of this one keep the SDK's runtime alive. */
it('replays on, although one of its threads is done before the other has begun', async () => {
  const script = `
    import { readFile } from 'node:fs/promises';
    import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
    import { replayHistories } from './dist/worker/replay.js';
    const code = await readFile('dist/workflow-bundle.js', 'utf8');
    const history = historyFromJSON(JSON.parse(await readFile('test/histories/0.1.0/straight.json', 'utf8')));
    const { promise: isDone, resolve: done } = Promise.withResolvers();
    // Each thread fetches four ahead: the first one gets "one" and nothing else, the second one later "two".
    const nothing = Promise.resolve(undefined);
    const fetched = ['one', nothing, nothing, nothing, isDone.then(() => 'two')];
    const next = async () => {
      const id = await fetched.shift();
      return id && { workflowId: id, runId: id, type: 'merchantBoarding', history };
    };
    const config = { namespace: 'default', taskQueue: 'gangway', payloadKeys: undefined, code };
    for await (const { workflowId, difference } of replayHistories(config, next)) {
      console.log(workflowId, difference ?? 'replays');
      setTimeout(done, 0);
    }`;
  expect(await run(process.execPath, ['--input-type=module', '--eval', script], {})).toEqual({
    code: 0,
    stderr: '',
    stdout: 'one replays\ntwo replays\n',
  });
});
