import { msNumberToTs } from '@temporalio/common/lib/time.js';
import type { Job } from '../runtime.js';
import type { World } from '../world.js';

/** What a command begins. */
type Begun = 'activity' | 'timer' | 'child' | 'signal' | 'cancel';

/** The history of a run, as a client gets it. */
export class Events {
  readonly all: object[] = [];
  /** What happens while a task runs comes after its commands. */
  readonly #waiting: {
    readonly kind: string;
    readonly attributes: object;
    readonly job?: Job | undefined;
  }[] = [];
  /** The events of commands, by what they have begun. */
  readonly #begun = new Map<string, number>();

  constructor(private readonly world: World) {}

  write(kind: string, attributes: object = {}): void {
    const [eventId, eventTime] = [this.all.length + 1, msNumberToTs(this.world.now)];
    this.all.push({ eventId, eventTime, [`${kind}EventAttributes`]: attributes });
  }

  /** Writes that a command begins something. */
  begin(what: Begun, seq: number, kind: string, attributes: object): void {
    this.#begun.set(`${what} ${seq}`, this.all.length + 1);
    this.write(kind, attributes);
  }

  /** Says what an event is about: what a command has begun. */
  of(what: Begun, seq: number): object {
    const eventId = this.#begun.get(`${what} ${seq}`);
    if (what === 'activity') return { scheduledEventId: eventId };
    return what === 'timer' ? { startedEventId: eventId } : { initiatedEventId: eventId };
  }

  /** @param job which a worker gets with it */
  later(kind: string, attributes: object, job?: Job): void {
    this.#waiting.push({ kind, attributes, job });
  }

  /** It fired while the task that cancels it ran. */
  forgetTimer(seq: number): void {
    const fired = this.#waiting.findIndex(({ job }) => job?.fireTimer?.seq === seq);
    if (fired >= 0) this.#waiting.splice(fired, 1);
  }

  flush(): void {
    for (const { kind, attributes } of this.#waiting.splice(0)) this.write(kind, attributes);
  }
}
