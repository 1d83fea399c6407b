import { expect, it, onTestFinished } from 'vitest';
import { merchant } from '../../../rigs/inputs.js';
import { launch, run } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

/** Refuses to load the modules that export traces. */
const NOTHING_LOADED = {
  NODE_OPTIONS: `--import ${new URL('../../../rigs/tracing/refuse-export.mjs', import.meta.url)}`,
};

it('without a collector nothing is loaded, and nothing is written into the history', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const env = { ...rig.env, ...NOTHING_LOADED };
  const worker = await launch('worker', env, 'worker is ready');
  const boarding = await rig.board(merchant());
  await boarding.outcome();
  const history = await eventually(
    () => boarding.handle.fetchHistory(),
    ({ events }) => Boolean(events?.length),
    'the history',
  );
  expect(JSON.stringify(history)).not.toContain('_tracer-data');
  expect(await worker.stop()).toBe(0);

  const traced = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const refused = await run(process.execPath, ['dist/worker.js'], traced);
  expect(refused.stderr).toContain('loads @opentelemetry/');
}, 240_000);
