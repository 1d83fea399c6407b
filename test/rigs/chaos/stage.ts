import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Crm, startCrm } from '../../../src/demo/crm.js';
import type { FaultPlan } from '../../../src/sandbox/faults.js';
import type { LedgerEntry } from '../../../src/sandbox/ledger.js';
import { type DevServer, freePort, startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import type { Markers } from '../privacy/markers.js';
import { databaseOf } from '../privacy/places.js';
import { SECRET } from '../receiver/running-receiver.js';
import { createRig, type Rig } from '../rig.js';
import { insist } from './insist.js';
import { Supervised } from './supervised.js';
import type { Kill } from './weather.js';

/**
 * All that runs in production, on one machine: a Temporal server with its data in a file, two workers, a receiver, the
 * partners, and a system beside Gangway that is told of news.
 */
export class Stage {
  serverKills = 0;
  readonly #processes: Readonly<Record<'worker 1' | 'worker 2' | 'receiver', Supervised>>;
  #restart: Promise<void> = Promise.resolve();
  #struck: Promise<Buffer> | undefined;

  private constructor(
    readonly rig: Rig,
    /** Environment of every process of the project. */
    readonly env: Readonly<Record<string, string>>,
    readonly crm: Crm,
    readonly receiverUrl: string,
    private server: DevServer,
    private readonly folder: string,
  ) {
    this.#processes = {
      'worker 1': new Supervised('worker', env),
      'worker 2': new Supervised('worker', env),
      receiver: new Supervised('receiver', env),
    };
  }

  /** @param pace of the sandbox's underwriters, in milliseconds a step */
  static async set(marked: Markers, pace: number): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-chaos-'));
    const server = await serve(folder);
    const rig = await createRig({
      address: server.address,
      worker: false,
      sandbox: { password: marked.password, pace: { milliseconds: pace } },
    });
    await registerSearchAttributes(rig.client);
    const crmPort = await freePort();
    const crm = await startCrm(crmPort, SECRET);
    const receiverAddress = `127.0.0.1:${await freePort()}`;
    const env = {
      ...rig.env,
      GANGWAY_LOG_LEVEL: 'debug',
      GANGWAY_POLL_MIN: '300ms',
      GANGWAY_POLL_MAX: '3s',
      BOARDING_PASSWORD: marked.password,
      PAYMENTS_API_KEY: marked.password,
      BANKING_PASSWORD: marked.password,
      BANKING_DEVICE_TOKEN: marked.deviceToken,
      EVENTS_URLS: `http://127.0.0.1:${crmPort}`,
      EVENTS_SECRETS: SECRET,
      EVENTS_TO_LOOPBACK: 'true',
      RECEIVER_ADDRESS: receiverAddress,
      RECEIVER_SECRETS: SECRET,
      RECEIVER_BANKING_AUTH: 'none',
      RECEIVER_REQUESTS_PER_MINUTE: '100000',
    };
    const receiverUrl = `http://${receiverAddress}`;
    const stage = new Stage(rig, env, crm, receiverUrl, server, folder);
    const webhook = { notificationType: 'ApplicationStatus', url: `${receiverUrl}/webhooks/banking` };
    await stage.control('POST', '/sandbox/webhooks', webhook);
    await stage.settled();
    return stage;
  }

  /** How often each process was killed. */
  get kills(): Readonly<Record<string, number>> {
    const processes = Object.entries(this.#processes).map(([name, { kills }]) => [name, kills] as const);
    return { ...Object.fromEntries(processes), server: this.serverKills };
  }

  /** How often a process ended by itself, or could not start, as it may while the server is away. */
  get exits(): number {
    return Object.values(this.#processes).reduce((sum, { exits }) => sum + exits, 0);
  }

  /** `gangway batch` is killed by who has started it. */
  async kill({ target, awayMs }: Kill): Promise<void> {
    if (target === 'batch') return;
    if (target !== 'server') return this.#processes[target].kill(awayMs);
    this.#restart = this.#restart.then(() => this.#restartServer(awayMs));
    await this.#restart;
  }

  /** Waits until all of it is there. */
  async settled(): Promise<void> {
    await this.#restart;
    await Promise.all(Object.values(this.#processes).map((each) => each.ready()));
  }

  async #restartServer(awayMs: number): Promise<void> {
    this.serverKills += 1;
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.stop();
    await sleep(awayMs);
    this.server = await serve(this.folder, this.server.address);
  }

  /** Every write that took effect so far. */
  ledger(): Promise<readonly LedgerEntry[]> {
    return this.control('GET', '/sandbox/ledger');
  }

  async plan(plan: FaultPlan): Promise<void> {
    await this.control('POST', '/sandbox/faults', plan);
  }

  /** One of the sandbox's own controls, which is away as well while the sandbox refuses connections. */
  control<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return insist(async () => {
      const response = await fetch(this.rig.sandbox.url + path, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Answer;
    });
  }

  /** Has the processes finish. Answers what they have said. */
  async quiet(): Promise<Buffer> {
    const processes = Object.values(this.#processes);
    await Promise.all(processes.map((each) => each.stop()));
    return Buffer.from(processes.map(({ logs }) => logs).join('\n'));
  }

  /** Ends all of it. Answers what the server has written. */
  strike(): Promise<Buffer> {
    this.#struck ??= this.#strike();
    return this.#struck;
  }

  async #strike(): Promise<Buffer> {
    await this.#restart;
    await this.quiet();
    await this.crm.stop();
    await this.rig.close();
    const database = await databaseOf(this.server, this.folder);
    await rm(this.folder, { recursive: true, force: true });
    return database;
  }
}

/** Starts a server on the data in `folder`, at this address if it is given, however slow the machine is. */
function serve(folder: string, address?: string): Promise<DevServer> {
  const port = address && { port: Number(address.split(':')[1]) };
  return insist(async () => {
    const server = await startDevServer({ databaseFile: join(folder, 'temporal.db'), ...port });
    if (address === undefined || server.address === address) return server;
    await server.stop();
    throw new Error(`${address} is still taken`);
  });
}
