import type { Called, FaultKind } from './faults.js';

/** A write that reached the sandbox, whether it took effect or not. */
export interface ReceivedRequest {
  /** Counts from 1 in the order of arrival. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly system: string;
  /** As in the catalogue: `create-merchant`. */
  readonly operation: string;
  /** Path and query. */
  readonly url: string;
  /** The fault that it met. */
  readonly fault?: FaultKind;
  /** HTTP status of the response; absent while there is none, and after the connection was cut. */
  readonly status?: number;
}

type Kept = { -readonly [Key in keyof ReceivedRequest]: ReceivedRequest[Key] } & { readonly text: string };

/** Every write that arrived, in order: the proof that a request has left the caller. */
export class RequestLog {
  readonly #requests: Kept[] = [];

  /**
   * Keeps a request that has just arrived.
   *
   * @param text its URL and body, in which {@link about} searches
   * @returns keeps the HTTP status of the response
   */
  receive(called: Called, url: string, text: string, fault?: FaultKind): (status: number) => void {
    const { system, operation } = called;
    const place = { seq: this.#requests.length + 1, at: new Date().toISOString() };
    const request: Kept = { ...place, system, operation, url, ...(fault && { fault }), text };
    this.#requests.push(request);
    return (status) => {
      request.status = status;
    };
  }

  /**
   * The requests of an operation that have all of these words in their URL or JSON body; default: all of them. A word is not
   * found within a longer word or number. The bodies stay here.
   */
  about(operation: string | undefined, words: readonly string[]): ReceivedRequest[] {
    const patterns = words.map((word) => new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`));
    return this.#requests
      .filter((one) => operation === undefined || one.operation === operation)
      .filter(({ text }) => patterns.every((pattern) => pattern.test(text)))
      .map(({ text: _, ...request }) => request);
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
