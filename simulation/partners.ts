import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, sendResponse } from '../src/apps/sandbox/answer.js';
import type { FaultPlan } from '../src/apps/sandbox/faults.js';
import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import { type Emulation, emulatePartners, type SandboxOptions } from '../src/apps/sandbox/server.js';
import { type FileStore, StoreFailure } from '../src/platform/documents/file-store.js';
import { codeError, FAULT, type Listener } from './network.js';
import type { World } from './world.js';

/** Marks a response whose end gets lost. */
const TOO_SHORT = 'simulated-too-short';

/** Sends a response without a socket. If HTTP does not allow it, the connection or the body is cut. */
async function sendToNetwork(reply: FastifyReply, { wire, ...answer }: Answer): Promise<FastifyReply> {
  if (wire === 'endless' || wire === 'too-long') return sendResponse(reply, { ...answer, status: 0 });
  if (wire === 'too-short') reply.header(TOO_SHORT, wire);
  return sendResponse(reply, answer);
}

/** The network says which fault a request meets. */
function faultOf({ headers }: FastifyRequest): FaultPlan | undefined {
  const fault = headers[FAULT];
  return fault === undefined ? undefined : { times: 1, ...JSON.parse(String(fault)) };
}

/** Where the partners are. The network takes their requests from the client. */
export const PARTNERS_URL = 'http://127.0.0.1:4010';

/** The partners: the handlers of the sandbox, without a network. */
export class Partners {
  private constructor(
    private readonly world: World,
    private readonly emulation: Emulation,
  ) {}

  /** @param refuse accepts no connection for so many milliseconds */
  static async open(
    world: World,
    options: SandboxOptions,
    refuse?: (milliseconds: number) => void,
  ): Promise<Partners> {
    const emulation = await emulatePartners({ send: sendToNetwork, faultOf, ...options }, refuse);
    await emulation.server.ready();
    return new Partners(world, emulation);
  }

  /** What the network carries its requests to. */
  readonly listener: Listener = async ({ body: payload, method, ...request }) => {
    const inject = async () =>
      this.emulation.server.inject({ ...request, method: method as 'GET', payload }).catch(() => {
        throw codeError('UND_ERR_SOCKET');
      });
    const { statusCode: status, headers, rawPayload } = await this.world.outside(inject);
    const { [TOO_SHORT]: isTooShort, ...output } = headers as Record<string, string>;
    const body = isTooShort ? rawPayload.subarray(0, rawPayload.length / 2) : rawPayload;
    return { status, headers: output, body };
  };

  readonly #forgotten = new Set<number>();
  /** How many writes took effect before Gangway began. */
  #before = 0;

  /** Every write that took effect, but for those that concern no party. */
  get ledger(): readonly LedgerEntry[] {
    return this.emulation.ledger.entries().filter(({ seq }) => !this.#forgotten.has(seq));
  }

  /** The same since Gangway began. */
  get ledgerOfGangway(): readonly LedgerEntry[] {
    return this.ledger.filter(({ seq }) => seq > this.#before);
  }

  /** What has been written last concerns no party. */
  forget(): void {
    const last = this.ledger.at(-1);
    if (last) this.#forgotten.add(last.seq);
  }

  habits: readonly string[] = [];

  /** From now on. */
  async haveHabits(habits: readonly string[]): Promise<void> {
    await this.control('POST', '/sandbox/habits', { habits });
    this.habits = habits;
  }

  begins(): void {
    this.#before = this.emulation.ledger.entries().length;
  }

  /** Calls a control of the sandbox, past the network. */
  async control<Reply>(method: 'GET' | 'POST', url: string, body?: object): Promise<Reply> {
    const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const sent = Buffer.from(body ? JSON.stringify(body) : '');
    const response = await this.listener({ method, url, headers, body: sent });
    if (response.status >= 400) throw new Error(`${method} ${url}: ${response.status} ${response.body}`);
    return JSON.parse(response.body.toString()) as Reply;
  }

  close(): Promise<void> {
    return this.emulation.server.close();
  }
}

/** A store of files in memory. */
export function memoryFiles(): FileStore {
  const files = new Map<string, Buffer>();
  return {
    place: 'memory',
    async save(name, body) {
      const bytes = await buffer(body);
      files.set(name, bytes);
      return bytes.length;
    },
    async open(name) {
      const bytes = files.get(name);
      if (!bytes) throw new StoreFailure(this.place, 'missing', 'no such file');
      return Readable.from([bytes]);
    },
    async remove(name) {
      files.delete(name);
    },
  };
}
