import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import type { FileStore } from '../src/documents/file-store.js';
import type { LedgerEntry } from '../src/sandbox/ledger.js';
import { type Emulation, emulatePartners } from '../src/sandbox/server.js';
import type { World } from './world.js';

/** The partners: the handlers of the sandbox, without a network. */
export class Partners {
  private constructor(
    private readonly world: World,
    private readonly emulation: Emulation,
  ) {}

  /** @param password of every user */
  static async open(world: World, password: string, paceMs: number): Promise<Partners> {
    const emulation = await emulatePartners({ password, pace: { milliseconds: paceMs } });
    await emulation.server.ready();
    return new Partners(world, emulation);
  }

  get server(): FastifyInstance {
    return this.emulation.server;
  }

  /** Every write that took effect. */
  get ledger(): readonly LedgerEntry[] {
    return this.emulation.ledger.entries();
  }

  /** Calls a control of the sandbox. */
  async control<Reply>(method: 'GET' | 'POST', url: string, body?: object): Promise<Reply> {
    const sent = { method, url, ...(body && { payload: body }) };
    const { statusCode, body: text } = await this.world.outside(this.server.inject(sent));
    if (statusCode >= 400) throw new Error(`${method} ${url}: ${statusCode} ${text}`);
    return JSON.parse(text) as Reply;
  }

  close(): Promise<void> {
    return this.emulation.close();
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
      if (!bytes) throw new Error(`no file ${name}`);
      return Readable.from([bytes]);
    },
    async remove(name) {
      files.delete(name);
    },
  };
}
