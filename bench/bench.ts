import { Client, Connection } from '@temporalio/client';
import { type DevServer, startDevServer } from '../src/apps/demo/dev-server.js';
import { registerSearchAttributes } from '../src/temporal/search-attributes.js';
import type { Line } from './line.js';

/** The tools of a subject. */
export interface Bench {
  /** Address of the server that all subjects share, which starts on first use. */
  readonly address: () => Promise<string>;
  /** Its process. */
  readonly serverPid: () => Promise<number>;
  /** `full`, or `quick` in a run with `--quick`. */
  readonly size: (full: number, quick: number) => number;
  /** Calls `undo` when the subject has ended, the last one first. */
  readonly atEnd: (undo: () => Promise<unknown>) => void;
}

/** Measures one thing, line by line. */
export type Subject = (bench: Bench) => AsyncGenerator<Line>;

/** Runs subjects one after the other. Each starts when the one before has released its resources. */
export class Benches {
  #server: Promise<DevServer> | undefined;

  constructor(private readonly quick: boolean) {}

  async *run(subject: Subject): AsyncGenerator<Line> {
    const undoing: (() => Promise<unknown>)[] = [];
    const bench: Bench = {
      address: async () => (await this.#started()).address,
      serverPid: async () => (await this.#started()).pid,
      size: (full, quick) => (this.quick ? quick : full),
      atEnd: (undo) => void undoing.unshift(undo),
    };
    try {
      yield* subject(bench);
    } finally {
      for (const undo of undoing) await undo();
    }
  }

  async close(): Promise<void> {
    await (await this.#server)?.stop();
  }

  #started(): Promise<DevServer> {
    this.#server ??= startWithAttributes();
    return this.#server;
  }
}

async function startWithAttributes(): Promise<DevServer> {
  const server = await startDevServer();
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(new Client({ connection }));
  await connection.close();
  return server;
}
