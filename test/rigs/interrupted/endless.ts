import { it } from 'vitest';
import { startDevServer } from '../../../src/temporal/dev-server.js';
import { launch, run } from '../processes.js';
import { createRig } from '../rig.js';

it('has all kinds of processes running until the run is interrupted', async () => {
  const server = await startDevServer();
  // A worker in this process handles signals itself.
  const rig = await createRig({ address: server.address });
  await launch('sandbox', { SANDBOX_ADDRESS: '127.0.0.1:0' }, 'sandbox is ready');
  // A process with a child process.
  const script = run('sh', ['-c', 'sleep 600; true'], rig.env);
  process.stdout.write(`interrupt ${process.ppid}\n`);
  await script;
});
