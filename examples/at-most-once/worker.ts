import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { reportOutcomes } from '../../src/at-most-once/activity.js';
import { bakery } from './activities.js';

/** Activities get their client from the worker. The interceptor comes before those that change a result or an error. */
const worker = await Worker.create({
  taskQueue: 'bakery',
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: bakery,
  interceptors: { activity: [reportOutcomes] },
});
await worker.run();
