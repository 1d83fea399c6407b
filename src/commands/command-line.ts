import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Config, loadConfig } from '../config.js';
import { type Output, Printer } from './output.js';

/** What a command has in place of the globals of a process, so that many can run in one. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Ends the command. The reason is an `Interrupted`, which has the exit code. */
  readonly signal: AbortSignal;
}

/** Where a person sits. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** What each command gets: its settings, its input, and how to print. */
export class CommandLine extends Printer {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Undefined when standard input is a file or a pipe. */
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
