import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Config, loadConfig } from '../config.js';
import { type Output, Printer } from './output.js';

/** Replaces the globals of the process, so that one process can run many commands. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Ends the command. The reason is an `Interrupted`, which holds the exit code. */
  readonly signal: AbortSignal;
}

/** Where a person types and reads. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** What each command works with: settings, input, output, and the signal that ends it. */
export class CommandLine extends Printer {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** undefined when standard input is a file or a pipe. */
  readonly terminal: Terminal | undefined;
  readonly #stdin: Readable;

  constructor({ env, stdin, stdout, stderr, signal }: Surroundings) {
    super({ stdout, stderr });
    this.env = env;
    this.signal = signal;
    this.terminal = stdin.isTTY ? { input: stdin, output: stderr } : undefined;
    this.#stdin = stdin;
  }

  /** @throws {BadSetting} */
  config(): Config {
    return loadConfig(this.env);
  }

  /** All of standard input. */
  input(): Promise<Buffer> {
    return buffer(addAbortSignal(this.signal, this.#stdin));
  }
}
