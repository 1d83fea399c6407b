import type { LedgerEntry } from '../../src/apps/sandbox/ledger.js';
import { writeExactly } from '../../src/partners/json.js';
import { eventually } from './waiting.js';

/** A call that the sandbox holds until the test releases it. */
export interface HeldCall {
  /** Waits until the sandbox holds the call. */
  underWay(): Promise<void>;
  letGo(): Promise<void>;
}

/** Longer than any test waits. */
const HELD_MS = 100_000;

/** The sandbox's controls, over HTTP. */
export class SandboxControl {
  constructor(readonly url: string) {}

  async ledger(wanted: Partial<Record<'operation' | 'id' | 'guid', string>> = {}): Promise<LedgerEntry[]> {
    return this.#json(`/sandbox/ledger?${new URLSearchParams(wanted)}`);
  }

  /** Names of the writes that took effect for a merchant's `externalId`, in order. */
  async writes(guid: string): Promise<string[]> {
    return (await this.ledger({ guid })).map(({ operation }) => operation);
  }

  /** The requests that arrived for a write, whether or not they took effect. */
  requests(operation: string): Promise<readonly Record<string, unknown>[]> {
    return this.#json(`/sandbox/requests?${new URLSearchParams({ operation })}`);
  }

  merchant(id: number): Promise<Record<string, unknown>> {
    return this.#json(`/sandbox/merchants/${id}`);
  }

  transition(id: number, change: Record<string, unknown>): Promise<unknown> {
    return this.#json(`/sandbox/merchants/${id}/transition`, 'POST', change);
  }

  profile(id: number): Promise<Record<string, unknown>> {
    return this.#json(`/sandbox/profiles/${id}`);
  }

  transitionProfile(id: number, change: Record<string, unknown>): Promise<unknown> {
    return this.#json(`/sandbox/profiles/${id}/transition`, 'POST', change);
  }

  plan(fault: string, operation?: string, more: Record<string, unknown> = {}): Promise<unknown> {
    return this.#json('/sandbox/faults', 'POST', { fault, operation, ...more });
  }

  /**
   * Holds the next calls of an operation that have `about` in their URL or JSON body, before or after they take effect. No other
   * fault may be planned with the same text.
   */
  async hold(
    operation: string,
    about: string,
    fault: 'delay' | 'delay-after-commit' | 'drop-after-delay' = 'delay',
    times = 1,
  ): Promise<HeldCall> {
    await this.plan(fault, operation, { about, times, milliseconds: HELD_MS });
    const delayed = async () => {
      const report = await this.#json<{ delayed: { about?: string }[] }>('/sandbox/faults');
      return report.delayed.filter((plan) => plan.about === about).length;
    };
    return {
      underWay: async () =>
        void (await eventually(delayed, (count) => count === times, `${operation} of ${about}`)),
      letGo: async () => {
        await this.#json(`/sandbox/faults?${new URLSearchParams({ about })}`, 'DELETE');
      },
    };
  }

  /** Deletes the faults that still wait. */
  clearFaults(): Promise<unknown> {
    return this.#json('/sandbox/faults', 'DELETE');
  }

  /** How many calls of operations there were. */
  async calls(): Promise<number> {
    return (await this.#json<{ calls: number }>('/sandbox/faults')).calls;
  }

  habits(...habits: string[]): Promise<unknown> {
    return this.#json('/sandbox/habits', 'POST', { habits });
  }

  pace(pace: string): Promise<unknown> {
    return this.#json('/sandbox/pace', 'PUT', { pace });
  }

  async #json<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      ...(body !== undefined && {
        body: writeExactly(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
