import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { endWithUs } from '../../src/process/lifecycle.js';
import { eventually } from '../rigs/waiting.js';

const PATIENCE_MS = 240_000;

const VITEST = 'npm exec -- vitest run --config test/rigs/interrupted/vitest.config.ts';

interface Suite {
  readonly child: ChildProcess;
  /** Id of Vitest's main process. */
  readonly main: number;
  /** The processes that the run has started and that have not ended. */
  left(): Promise<readonly string[]>;
}

/** Starts a run of the tests at a terminal, where Ctrl-C is a signal to all processes in the foreground. It waits until all of it runs. */
async function startSuite(): Promise<Suite> {
  // Every process of the run inherits the PATH, and `ps` shows it.
  const mark = `/${randomUUID()}`;
  const { PATH, HOME } = process.env;
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', VITEST] : ['-qec', VITEST, '/dev/null'];
  const child = spawn('script', args, {
    env: {
      PATH: `${PATH}:${mark}`,
      HOME,
      TEMPORAL_CLI_PATH: inject('temporalCli'),
    },
    detached: true,
  });
  endWithUs(child, 'group');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  }
  await eventually(
    async () => printed,
    (text) => text.includes('interrupt '),
    'the test',
    PATIENCE_MS,
  );
  const left = async () => {
    const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,args=']);
    return stdout.split('\n').filter((line) => line.includes(mark));
  };
  return { child, main: Number(/interrupt (\d+)/.exec(printed)?.[1]), left };
}

const CTRL_C = '\u0003';

it.concurrent.each<[what: string, interrupt: (suite: Suite) => unknown]>([
  ['Ctrl-C', ({ child }) => child.stdin?.write(CTRL_C)],
  ['SIGKILL', ({ main }) => process.kill(main, 'SIGKILL')],
])(
  'a run of the tests that ends by %s leaves no process behind',
  async (_, interrupt) => {
    const suite = await startSuite();
    // Vitest, its worker, and what the test has started: two Temporal servers, a sandbox, a shell and its child.
    expect((await suite.left()).length).toBeGreaterThanOrEqual(7);
    interrupt(suite);
    await eventually(suite.left, (left) => left.length === 0, 'the end of all processes');
  },
  2 * PATIENCE_MS,
);
