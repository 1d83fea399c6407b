import { setTimeout as sleep } from 'node:timers/promises';
import { launch, type RunningProcess } from '../processes.js';

/** The pause between the end of a process and its restart. */
const PAUSE_MS = 500;

/** One of the built processes, which is restarted whenever it ends, as by systemd or Kubernetes. */
export class Supervised {
  kills = 0;
  /** How often it was stopped for a while. */
  stops = 0;
  /** How often it ended on its own or could not start, for example without a Temporal server. */
  exits = 0;
  #logs = '';
  #running: RunningProcess | undefined;
  #downMs = PAUSE_MS;
  #stopped = false;
  readonly #life: Promise<void>;
  #up: () => void = () => {};
  #ready: Promise<void> = this.#untilUp();

  /** @param env its environment, besides PATH and HOME of this process */
  constructor(
    private readonly name: 'worker' | 'receiver',
    private readonly env: Readonly<Record<string, string>>,
    private readonly build?: string,
  ) {
    this.#life = this.#live();
  }

  /** Its log so far. */
  get logs(): string {
    return this.#logs + (this.#running?.stderr() ?? '');
  }

  /** Waits until it is ready. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Kills it once it is ready, and restarts it after a while. */
  async kill(downMs: number): Promise<void> {
    await this.#ready;
    if (!this.#running || this.#stopped) return;
    this.kills += 1;
    this.#downMs = downMs;
    this.#ready = this.#untilUp();
    this.#running.child.kill('SIGKILL');
  }

  /** Stops it with SIGSTOP once it is ready, and lets it continue after a while. */
  async freeze(milliseconds: number): Promise<void> {
    await this.#ready;
    if (!this.#running || this.#stopped) return;
    this.stops += 1;
    const { child } = this.#running;
    child.kill('SIGSTOP');
    await sleep(milliseconds);
    child.kill('SIGCONT');
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
      await this.#once();
      await sleep(this.#downMs);
      this.#downMs = PAUSE_MS;
    }
  }

  async #once(): Promise<void> {
    try {
      this.#running = await launch(this.name, this.env, `${this.name} is ready`, { build: this.build });
    } catch (error) {
      this.exits += 1;
      this.#logs += String(error);
      return;
    }
    this.#up();
    if (this.#stopped) this.#running.child.kill('SIGTERM');
    const kills = this.kills;
    await this.#running.exit;
    if (!this.#stopped && this.kills === kills) {
      this.exits += 1;
      this.#ready = this.#untilUp();
    }
    this.#logs += this.#running.stderr();
    this.#running = undefined;
  }
}
