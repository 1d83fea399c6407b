import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Incident } from '../../../simulation/writes.js';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { type Crm, startCrm } from '../../../src/apps/demo/parts.js';
import type { LedgerEntry } from '../../../src/apps/sandbox/ledger.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import type { Markers } from '../privacy/markers.js';
import { bytesIn } from '../privacy/places.js';
import { clientsFile, clientWith, SECRET } from '../receiver/running-receiver.js';
import { createRig, type Rig } from '../rig.js';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.js';
import { insist } from '../waiting.js';
import type { Serve, Served } from './served.js';
import { Supervised } from './supervised.js';
import type { Kill, Spell } from './weather.js';

const WORKERS = ['worker 1', 'worker 2'] as const;
const RECEIVERS = ['receiver 1', 'receiver 2'] as const;

type ProcessName = (typeof WORKERS)[number] | (typeof RECEIVERS)[number] | 'link';

const PAGE_TOKEN = randomBytes(32).toString('hex');

/** Of the program through which a clerk asks merchants. */
export const CLERK_TOKEN = randomBytes(32).toString('hex');

/**
 * All that runs in production, on one machine: a Temporal server, two workers, two receivers, the merchants' page, the partners, and a system that
 * receives outbound events.
 */
export class Stage {
  readonly incidents: Incident[] = [];
  readonly #processes: Readonly<Partial<Record<ProcessName, Supervised>>>;
  #restart: Promise<void> = Promise.resolve();
  #struck: Promise<Buffer> | undefined;

  private constructor(
    readonly rig: Rig,
    /** Environment of every Gangway process. */
    readonly env: Readonly<Record<string, string>>,
    readonly crm: Crm,
    readonly receiverUrls: readonly string[],
    private readonly served: Served,
    /** With all data of the server. */
    private readonly folder: string,
    /** Between each worker and the server. */
    private readonly wires: Readonly<Record<Spell['target'], TcpProxy>>,
    build: string | undefined,
    /** Of the merchant's page, which knows no partner and no key. */
    pageEnv: Readonly<Record<string, string>>,
    withWorkers: boolean,
  ) {
    const workers = (withWorkers ? WORKERS : []).map((name) => {
      const settings = { ...env, TEMPORAL_ADDRESS: wires[name].address };
      return [name, new Supervised('worker', settings, build)] as const;
    });
    const receivers = RECEIVERS.map((name, index) => {
      const { host } = new URL(receiverUrls[index] ?? '');
      return [name, new Supervised('receiver', { ...env, RECEIVER_ADDRESS: host })] as const;
    });
    const pages = withWorkers ? [['link', new Supervised('link', pageEnv)] as const] : [];
    this.#processes = Object.fromEntries([...workers, ...receivers, ...pages]);
  }

  /**
   * @param pace of the sandbox's underwriters, in milliseconds a step
   * @param withWorkers false when the caller runs the workers
   */
  static async set(
    marked: Markers,
    pace: number,
    serve: Serve,
    {
      build,
      withWorkers = true,
    }: { readonly build?: string | undefined; readonly withWorkers?: boolean } = {},
  ): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-chaos-'));
    const served = await serve(folder);
    const { address } = served;
    const rig = await createRig({
      // The search for leaks covers the dba.
      dbaForm: 'masked',
      address,
      worker: false,
      sandbox: { password: marked.password, pace: { milliseconds: pace } },
    });
    await insist(() => registerSearchAttributes(rig.client));
    const crmPort = await freePort();
    const crm = await startCrm(crmPort, SECRET);
    const receiverUrls = await Promise.all(RECEIVERS.map(async () => `http://127.0.0.1:${await freePort()}`));
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
      RECEIVER_SECRETS: SECRET,
      RECEIVER_BANKING_AUTH: 'none',
      API_CLIENTS_FILE: clientsFile([
        clientWith({}, CLERK_TOKEN),
        clientWith({ name: 'page', scopes: ['link'] }, PAGE_TOKEN),
      ]),
      LINK_URL: `http://127.0.0.1:${await freePort()}`,
    };
    const pageEnv = {
      LINK_URL: env.LINK_URL,
      LINK_ADDRESS: new URL(env.LINK_URL).host,
      LINK_COMPANY: 'Acme Payments',
      LINK_API_URL: receiverUrls[0] ?? '',
      LINK_API_TOKEN: PAGE_TOKEN,
      // All merchants have one address here.
      LINK_REQUESTS_PER_MINUTE: '100000',
      GANGWAY_LOG_LEVEL: 'debug',
    };
    const wires = { 'worker 1': await tcpProxy(address), 'worker 2': await tcpProxy(address) };
    const stage = new Stage(rig, env, crm, receiverUrls, served, folder, wires, build, pageEnv, withWorkers);
    const webhook = { notificationType: 'ApplicationStatus', url: `${receiverUrls[0]}/webhooks/banking` };
    await stage.control('POST', '/sandbox/webhooks', webhook);
    await stage.settled();
    return stage;
  }

  /** Cuts a worker off or stops it for a while, once it is ready. */
  async spell({ target, how, milliseconds }: Spell): Promise<void> {
    await this.#processes[target]?.ready();
    this.#note(`${target} is ${how} for ${milliseconds} ms`);
    if (how === 'stopped') return this.#processes[target]?.freeze(milliseconds);
    this.wires[target].cut();
    await sleep(milliseconds);
    this.wires[target].mend();
  }

  /** Kills anything that is ready but `gangway batch`, which its starter kills. */
  async kill({ target, downMs }: Kill): Promise<void> {
    if (target === 'batch') return;
    const killed = this.#processes[target as ProcessName];
    await killed?.ready();
    this.#note(`${target} is killed, and down for ${downMs} ms`);
    if (killed) return killed.kill(downMs);
    this.#restart = this.#restart.then(() => this.served.kill(target, downMs));
    await this.#restart;
  }

  #note(what: string): void {
    this.incidents.push({ at: new Date().toISOString(), what });
  }

  /** The parts of the Temporal server that can be killed. */
  get serverParts(): readonly string[] {
    return this.served.parts;
  }

  /** Waits until every process is ready. */
  async settled(): Promise<void> {
    await this.#restart;
    await Promise.all(Object.values(this.#processes).map((each) => each.ready()));
  }

  /** Every write that took effect so far. */
  ledger(): Promise<readonly LedgerEntry[]> {
    return this.control('GET', '/sandbox/ledger');
  }

  /** Calls a control of the sandbox. Repeats the call while the sandbox refuses connections. */
  control<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    return insist(async () => {
      const response = await fetch(this.rig.sandbox.url + path, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Reply;
    });
  }

  /** Stops the processes. @returns their logs */
  async quiet(): Promise<Buffer> {
    const processes = Object.values(this.#processes);
    await Promise.all(processes.map((each) => each.stop()));
    return Buffer.from(processes.map(({ logs }) => logs).join('\n'));
  }

  /** Ends all of it. @returns all bytes that the server has written */
  strike(): Promise<Buffer> {
    this.#struck ??= this.#strike();
    return this.#struck;
  }

  async #strike(): Promise<Buffer> {
    await this.#restart;
    await this.quiet();
    await Promise.all(Object.values(this.wires).map((wire) => wire.close()));
    await this.crm.stop();
    await this.rig.close();
    await this.served.stop();
    const written = await bytesIn(this.folder);
    await rm(this.folder, { recursive: true, force: true });
    return written;
  }
}
