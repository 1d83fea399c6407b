import { startDevServer } from '../../../src/apps/demo/dev-server.js';
import { launch, run } from '../processes.js';

/** Has all kinds of processes running until somebody kills this one. */
await startDevServer();
await launch('sandbox', { SANDBOX_ADDRESS: '127.0.0.1:0' }, 'sandbox is ready');
// A process with a child process.
const script = run('sh', ['-c', 'sleep 600; true'], { PATH: process.env['PATH'] ?? '' });
process.stdout.write('all run\n');
await script;
