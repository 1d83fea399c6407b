import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { endWithUs } from '../end-with-us.js';
import { temporalCli } from './server-binaries.js';

export interface DevServerOptions {
  /** Port of the server; any free one when taken or not given. The Web UI prefers the port 1000 above. */
  readonly port?: number;
  /** Keeps the server's data in this file, so that it survives a restart. */
  readonly databaseFile?: string;
  /** Dynamic configuration, such as `limit.historyCount.suggestContinueAsNew`. */
  readonly dynamicConfig?: Readonly<Record<string, number | boolean | string>>;
  /** Where the Web UI has payloads decoded. */
  readonly codecEndpoint?: string;
  readonly report?: (line: string) => void;
}

export interface DevServer {
  /** `127.0.0.1:7233`. */
  readonly address: string;
  /** The Web UI: `http://127.0.0.1:8233`. */
  readonly uiUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * The server reads timers ahead by this much, and a timer set to go off earlier waits for that: by default up to a
 * second between a nudge and the read it causes. On one machine there is no load to save.
 */
const PROMPT_TIMERS = { 'history.timerProcessorMaxTimeShift': '20ms' };

/** Lets agents take turns (temporal/priority.ts). Other servers need the same setting, see docs/onboardings.md. */
const FAIRNESS = { 'matching.enableFairness': true };

const START_TIMEOUT_MS = 60_000;

/** Starts Temporal's development server with its Web UI, on loopback only. */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const { databaseFile, dynamicConfig = {}, codecEndpoint, report } = options;
  const binary = await temporalCli(report);
  const port = await freePort(options.port);
  const uiPort = await freePort(port + 1_000);
  const address = `127.0.0.1:${port}`;
  const flags = [
    ...['--ip', '127.0.0.1', '--port', `${port}`, '--ui-port', `${uiPort}`, '--log-level', 'error'],
    ...(codecEndpoint ? ['--ui-codec-endpoint', codecEndpoint] : []),
    ...(databaseFile ? ['--db-filename', databaseFile] : []),
    ...Object.entries({ ...PROMPT_TIMERS, ...FAIRNESS, ...dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
  // In a process group of its own: Ctrl-C is for us, and we stop the server last.
  const server = spawn(binary, ['server', 'start-dev', ...flags], { detached: true, stdio: 'ignore' });
  const exited = once(server, 'exit');
  endWithUs(server);
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
  };
  const hasDied = exited.then(([code]) => {
    throw new Error(`the Temporal server ended at once, with exit code ${code}`);
  });
  // It is only an error while we wait for the start.
  hasDied.catch(() => undefined);
  await Promise.race([untilReady(address), hasDied]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { address, uiUrl: `http://127.0.0.1:${uiPort}`, pid: server.pid ?? 0, stop };
}

async function untilReady(address: string): Promise<void> {
  for (const until = Date.now() + START_TIMEOUT_MS; ; await sleep(50)) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** `wanted` if it is free, else any port that is. */
export async function freePort(wanted = 0): Promise<number> {
  const probe = createServer();
  try {
    const listening = once(probe, 'listening');
    probe.listen(wanted, '127.0.0.1');
    await listening;
    const address = probe.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch {
    return freePort();
  } finally {
    probe.close();
  }
}
