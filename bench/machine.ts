import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { temporalCli } from '../src/apps/demo/dev-server.js';

const GIB = 2 ** 30;

/** The machine of the run. Only figures of one run are comparable. */
export async function machine() {
  const [cpu] = cpus();
  const { stdout } = await promisify(execFile)(await temporalCli(), ['--version']);
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / GIB),
    /** Load over the minute before the run. */
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
    node: process.version,
    sdk: sdkVersion(),
    server: stdout.trim(),
  };
}

function sdkVersion(): string {
  const file = createRequire(import.meta.url).resolve('@temporalio/worker/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
