import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Heap } from 'heap-js';
import { Seeded } from './seeded.js';

/** Something that runs until it is killed. What it has begun then never continues: no timer of it fires, no response reaches it. */
export class Process {
  isAlive = true;
  /** Until then nothing in it moves, in milliseconds since 1970. */
  frozenUntil = 0;
  /** How far its clock is ahead, in milliseconds. */
  clockMs = 0;

  constructor(readonly name: string) {}
}

/** A line of the trace: when, who, what. */
export interface Line {
  readonly at: number;
  readonly who: string;
  readonly what: string;
  /** Nothing goes wrong, and nothing changes. */
  readonly isRoutine?: boolean;
}

interface Due {
  at: number;
  readonly order: number;
  /** null for what no kill ends. */
  readonly process: Process | null;
  run: (() => unknown) | undefined;
}

/** Work that takes real time. It holds time back unless a part of it waits for virtual time. */
interface Errand {
  sleeps: number;
}

/** Runs code outside of every process. */
const nobody = AsyncLocalStorage.snapshot();

/** When every simulation begins. */
const BEGIN = Date.parse('2026-01-05T09:00:00Z');

/**
 * Virtual time, and the only source of chance. Whatever happens is due at a time, and nothing happens between two of them: time
 * jumps to the next, and all code that can run then runs to its next wait. The same seed gives the same order.
 */
export class World {
  /** The running one: simulations in a process run one after the other. */
  static current: World | undefined;
  static readonly #processes = new AsyncLocalStorage<Process>();
  static readonly #errands = new AsyncLocalStorage<Errand>();

  now = BEGIN;
  /** Whether real work is under way that nobody has reported. */
  isBusy = () => false;
  /** Who waits without being part of any process: a test. */
  readonly visitor = new Process('people');
  readonly chance: Seeded;
  readonly trace: Line[] = [];
  /** Of code that nobody waits for. */
  readonly failures: unknown[] = [];
  /** The earliest is the first. */
  readonly #due = new Heap<Due>((one, other) => one.at - other.at || one.order - other.order);
  #order = 0;
  #ids = 0;
  /** The errands that are under way. */
  readonly #outside = new Set<Errand>();
  #awaited = 0;

  constructor(readonly seed: number) {
    this.chance = new Seeded(seed);
  }

  /** The process whose code is running. */
  static get process(): Process | undefined {
    return World.#processes.getStore();
  }

  /** Runs code as part of a process. */
  within<Result>(process: Process, run: () => Result): Result {
    return World.#processes.run(process, run);
  }

  say(who: string, what: string, isRoutine = false): void {
    this.trace.push({ at: this.now, who, what, isRoutine });
  }

  /** An id that the same seed makes again. */
  id(): string {
    this.#ids += 1;
    const hex = createHash('sha256').update(`${this.seed} ${this.#ids}`).digest('hex');
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-a$4-$5');
  }

  /** Runs something later, unless it is canceled or its process is killed before. @returns cancels it */
  after(
    milliseconds: number,
    run: () => unknown,
    process: Process | null = World.process ?? this.visitor,
  ): () => void {
    const at = this.now + Math.max(0, milliseconds);
    const inContext = process ? AsyncLocalStorage.bind(run) : () => nobody(run);
    this.#order += 1;
    const due: Due = { at, order: this.#order, process, run: inContext };
    this.#due.push(due);
    return () => {
      due.run = undefined;
    };
  }

  /**
   * Resolves later, unless the process is killed before, and at once when it is aborted.
   *
   * @param _isWaitedFor false for a limit of something else: tests let no time pass for it
   */
  sleep(milliseconds: number, signal?: AbortSignal, _isWaitedFor = true): Promise<void> {
    const errand = World.#errands.getStore() ?? { sleeps: 0 };
    errand.sleeps += 1;
    return new Promise((resolve, reject) => {
      const ends = (settle: () => void) => () => {
        signal?.removeEventListener('abort', abort);
        errand.sleeps -= 1;
        settle();
      };
      const cancel = this.after(milliseconds, ends(resolve));
      const abort = ends(() => {
        cancel();
        reject(signal?.reason);
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Waits for something that takes real time. Virtual time passes meanwhile only while that itself waits for it. */
  async outside<Value>(work: () => Promise<Value>): Promise<Value> {
    const errand: Errand = { sleeps: 0 };
    this.#outside.add(errand);
    try {
      // A request of fastify's begins when it is awaited.
      return await World.#errands.run(errand, async () => await work());
    } finally {
      this.#outside.delete(errand);
    }
  }

  /** Time passes for as long as a visitor waits for this. */
  async awaited<Value>(work: Promise<Value>): Promise<Value> {
    this.#awaited += 1;
    try {
      return await work;
    } finally {
      this.#awaited -= 1;
    }
  }

  /** Whether a visitor waits. */
  get isAwaited(): boolean {
    const isOfVisitor = ({ run, process }: Due) => run !== undefined && process === this.visitor;
    return this.#awaited > 0 || this.#due.heapArray.some(isOfVisitor);
  }

  async #settled(): Promise<void> {
    do await nextTurn();
    while (this.isBusy() || [...this.#outside].some(({ sleeps }) => sleeps === 0));
  }

  /** Lets time pass until a condition holds, nothing is due any more, or the time is over. */
  async run(isOver: () => boolean, until: number): Promise<void> {
    await this.#settled();
    // Whoever waited may have got it by now. Time that passes then passes for nobody, and ends what has a limit.
    if (isOver()) return;
    for (let due = this.#due.pop(); due; due = this.#due.pop()) {
      const { process } = due;
      if (!due.run || process?.isAlive === false) continue;
      if (due.at > until) return;
      if (process && process.frozenUntil > due.at) {
        due.at = process.frozenUntil;
        this.#due.push(due);
        continue;
      }
      this.now = Math.max(this.now, due.at);
      try {
        due.run();
      } catch (error) {
        this.failures.push(error);
      }
      await this.#settled();
      if (isOver() || this.failures.length > 0) return;
    }
  }
}
