import { randomUUID } from 'node:crypto';
import { startSingle } from '../../src/temporal/single-activities.js';
import { bareWorker } from '../bare/bare.js';
import type { Bench } from '../bench.js';
import { gangway } from '../gangway.js';
import { type Line, line } from '../line.js';
import { inTurns, median, perSecond } from '../timing.js';

const AT_ONCE = 32;

/** Calls that a worker makes for `gangway call`, beside standalone activities that do nothing. */
export async function* calls(bench: Bench): AsyncGenerator<Line> {
  const { client, taskQueue, sandbox } = await gangway(bench);
  const bare = await bareWorker(bench, sandbox.url);
  const call = async () => {
    const running = await startSingle(client, taskQueue, `call-${randomUUID()}`, {
      ...{ activity: 'callPartner', queue: 'boarding', summary: 'boarding list-agent-profiles' },
      args: [{ system: 'boarding', operation: 'list-agent-profiles', request: {} }],
      options: { startToCloseTimeout: '1m', heartbeatTimeout: '10s' },
    });
    return running.result();
  };
  const noOp = () =>
    bare.client.activity.execute('noOp', {
      ...{ id: `no-op-${randomUUID()}`, taskQueue: bare.activityTaskQueue, startToCloseTimeout: '1m' },
    });
  const rate = (run: () => Promise<unknown>) => () => perSecond(bench.size(500, 10), AT_ONCE, run);
  // The first turn, which warms both up, is not measured.
  await inTurns(1, rate(call), rate(noOp));
  const rates = await inTurns(bench.size(5, 1), rate(call), rate(noOp));
  yield line({
    ...{ what: 'calls made by a worker', figure: median(rates.ours), unit: 'a second' },
    beside: { what: 'standalone no-ops', figure: median(rates.other) },
  });
}
