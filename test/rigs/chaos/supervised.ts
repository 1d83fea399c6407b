import { setTimeout as sleep } from 'node:timers/promises';
import { launch, type RunningProcess } from '../processes.js';

/** The pause between the end of a process and its restart. */
const PAUSE_MS = 500;

/** One of the built processes, which is restarted whenever it ends, as by systemd or Kubernetes. */
export class Supervised {
  #logs = '';
  #running: RunningProcess | undefined;
  #downMs = PAUSE_MS;
  #stopped = false;
  #up: () => void = () => {};
  #ready: Promise<void> = this.#untilUp();
  readonly #life: Promise<void>;

  /** @param env its environment, besides PATH and HOME of this process */
  constructor(
    private readonly name: 'worker' | 'receiver' | 'link',
    private readonly env: Readonly<Record<string, string>>,
    private readonly build?: string,
  ) {
    this.#life = this.#live();
  }

  /** Its log, once it is stopped. */
  get logs(): string {
    return this.#logs;
  }

  /** Waits until it is ready. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Kills it. It is restarted after a while. */
  kill(downMs: number): void {
    this.#downMs = downMs;
    this.#running?.child.kill('SIGKILL');
  }

  /** Stops it with SIGSTOP, and lets it continue after a while. */
  async freeze(milliseconds: number): Promise<void> {
    const child = this.#running?.child;
    child?.kill('SIGSTOP');
    await sleep(milliseconds);
    child?.kill('SIGCONT');
  }

  /** Ends it with SIGTERM. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#running?.child.kill('SIGTERM');
    await this.#life;
  }

  #untilUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#up = resolve;
    });
  }

  async #live(): Promise<void> {
    while (!this.#stopped) {
      // It may not be able to start, for example without a Temporal server.
      await this.#once().catch((error) => {
        this.#logs += String(error);
      });
      await sleep(this.#downMs);
      this.#downMs = PAUSE_MS;
    }
  }

  async #once(): Promise<void> {
    const { name, env, build } = this;
    const running = await launch(name, env, `${name} is ready`, { build });
    this.#running = running;
    this.#up();
    if (this.#stopped) running.child.kill('SIGTERM');
    await running.exit;
    this.#ready = this.#untilUp();
    this.#logs += running.stderr();
    this.#running = undefined;
  }
}
