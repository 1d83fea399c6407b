import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { Process, World } from './world.js';

/**
 * Replaces the clocks, timers and random numbers of this process by those of the running world. While none runs, they are the real
 * ones. All code of the process gets them, that of the SDK included.
 */

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  random: Math.random,
  performanceNow: performance.now.bind(performance),
  sleep: timers.setTimeout,
  randomUUID: crypto.randomUUID,
};

/** What nobody waits for. */
const aside = new Process('aside');

/** A timer as `setTimeout` returns it. */
class Timer {
  constructor(
    public cancel = () => {},
    private readonly again?: (process: Process) => () => void,
  ) {}
  /** Outside of every process, it is none that a test waits for. */
  unref(): this {
    if (World.process || !this.again) return this;
    this.cancel();
    this.cancel = this.again(aside);
    return this;
  }
}

class VirtualDate extends real.Date {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(VirtualDate.now());
    else super(...(args as [number]));
  }
  static override now(): number {
    const { current, process } = World;
    return Math.floor(current ? current.now + (process?.clockMs ?? 0) : real.Date.now());
  }
}

// By this name, the SDK knows a date that it hands to a workflow.
Object.defineProperty(VirtualDate, 'name', { value: 'Date' });

type Callback = (...args: unknown[]) => void;

function setTimeout(run: Callback, milliseconds = 0, ...args: unknown[]): unknown {
  const world = World.current;
  if (!world) return real.setTimeout(run, milliseconds, ...args);
  const dueAt = world.now + milliseconds;
  let isDue = false;
  const fire = () => {
    isDue = true;
    run(...args);
  };
  const again = (process: Process) => world.after(dueAt - world.now, () => isDue || fire(), process);
  return new Timer(world.after(milliseconds, fire), again);
}

function setInterval(run: Callback, milliseconds = 0, ...args: unknown[]): unknown {
  const world = World.current;
  if (!world) return real.setInterval(run, milliseconds, ...args);
  const timer = new Timer();
  const repeat = () => {
    timer.cancel = world.after(Math.max(milliseconds, 1), () => {
      repeat();
      run(...args);
    });
  };
  repeat();
  return timer;
}

function clear(timer: unknown): void {
  if (timer instanceof Timer) timer.cancel();
  else real.clearTimeout(timer as NodeJS.Timeout);
}

async function sleep<Value>(
  milliseconds = 0,
  value?: Value,
  options: { signal?: AbortSignal; ref?: boolean } = {},
): Promise<Value> {
  const world = World.current;
  if (!world) return real.sleep(milliseconds, value as Value, options);
  await world.sleep(milliseconds, options.signal, options.ref);
  return value as Value;
}

export function installVirtualTime(): void {
  Object.assign(globalThis, { Date: VirtualDate, setTimeout, setInterval });
  Object.assign(globalThis, { clearTimeout: clear, clearInterval: clear });
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), milliseconds);
    return controller.signal;
  };
  Math.random = () => World.current?.chance.next() ?? real.random();
  performance.now = () => World.current?.now ?? real.performanceNow();
  timers.setTimeout = sleep as typeof timers.setTimeout;
  crypto.randomUUID = (() => World.current?.id() ?? real.randomUUID()) as typeof crypto.randomUUID;
  syncBuiltinESMExports();
}
