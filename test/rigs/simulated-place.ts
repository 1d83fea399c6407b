import { setImmediate as nextTurn } from 'node:timers/promises';
import { inject } from 'vitest';
import { type Listener, Network, replaceTransport } from '../../simulation/network.js';
import { Partners } from '../../simulation/partners.js';
import { clientOf, connectionOf, type Link } from '../../simulation/service/requests.js';
import { Service } from '../../simulation/service/service.js';
import { installVirtualTime } from '../../simulation/virtual-time.js';
import { Worker } from '../../simulation/worker.js';
import { Process, World } from '../../simulation/world.js';
import { folder } from '../../src/platform/documents/file-store.js';
import { environmentFor, PACE, type RigOptions, type RigPlace } from './rig.js';
import { SandboxControl } from './sandbox-control.js';
import { connectionAt, replaceConnections } from './temporal/simulated-connection.js';
import { configOf } from './worker-config.js';

const realTimeout = globalThis.setTimeout;
const realFetch = globalThis.fetch;

/** Whether the tests of this process run on the simulated service. A rig may also serve a program without vitest. */
export const isSimulated = () => process.env['VITEST'] !== undefined && inject('isSimulated');

/** The files of a process share a world, as they would share a server. */
let world: World | undefined;
const networks = new Map<string, Network>();
const listeners = new Map<string, Listener>();
const namespaces = new Map<string, Service>();
/** The port that was given away last. No test has it for a port at which nobody listens, nor does the system choose it. */
let port = 10_000;

/** Workflows continue as new when the server suggests it, from this many events on. */
const CONTINUE_AFTER = 4_096;

/** What Node calls a file that is read, written or closed. */
const OF_FILES = /^(FSReq|CloseReq)/;

function worldOfTests(): World {
  if (world) return world;
  world = new World(1);
  world.isBusy = () => process.getActiveResourcesInfo().some((resource) => OF_FILES.test(resource));
  World.current = world;
  awaitAppsThatSleep(world);
  installVirtualTime();
  replaceTransport((_, origin) => networks.get(origin));
  globalThis.fetch = fetchFromPartners;
  replaceConnections();
  void drive(world);
  return world;
}

function newAddress(): string {
  port += 1;
  return `127.0.0.1:${port}`;
}

/** A partner of the tests, at an address of its own. */
export function listening(listener: Listener): {
  readonly url: string;
  readonly network: Network;
  readonly close: () => void;
} {
  const url = `http://${newAddress()}`;
  const network = new Network(worldOfTests(), listener, { faults: [], losses: [] });
  listeners.set(url, listener);
  networks.set(url, network);
  return { url, network, close: () => void networks.delete(url) };
}

/** The partner at an address. */
export function listenerAt(url: string): Listener {
  const listener = listeners.get(url);
  if (!listener) throw new Error(`no simulated partner is at ${url}`);
  return listener;
}

/** A request to a simulated partner past its clients, as a test or a proxy sends it. */
const fetchFromPartners: typeof fetch = async (input, init = {}) => {
  const { origin, pathname, search } = new URL(String(input));
  const listener = listeners.get(origin);
  if (!listener) return realFetch(input, init);
  const { method = 'GET', headers, body: sent } = init;
  const {
    status,
    body,
    headers: got,
  } = await worldOfTests().awaited(
    listener({
      method,
      url: pathname + search,
      body: Buffer.from((sent as string | undefined) ?? ''),
      headers: Object.fromEntries(new Headers(headers)),
    }),
  );
  return new Response(new Uint8Array(body), { status, headers: got as Record<string, string> });
};

/** An app in the process of a test. */
class App extends Process {}

/**
 * Runs an app in the process of a test. Its timers belong to it, so that time passes while the app waits for Temporal or sleeps, or the
 * test waits for a state, and not because a session of the app may end some day.
 */
export function asApp<Result>(run: () => Result): Result {
  return isSimulated() ? worldOfTests().within(new App('app'), run) : run();
}

/** Without this, a request to an app that sleeps would wait forever: nothing else moves time. */
function awaitAppsThatSleep(world: World): void {
  const sleep = world.sleep.bind(world);
  world.sleep = (milliseconds, signal, isWaitedFor = true) => {
    const sleeping = sleep(milliseconds, signal);
    return World.process instanceof App && isWaitedFor ? world.awaited(sleeping) : sleeping;
  };
}

/** Time passes while a test waits. A failure that nobody waits for fails the run. */
async function drive(world: World): Promise<void> {
  for (;;) {
    if (world.isAwaited) await world.run(() => !world.isAwaited, Number.POSITIVE_INFINITY);
    for (const failure of world.failures.splice(0)) void Promise.reject(failure);
    if (world.isAwaited) await nextTurn();
    else await new Promise((resolve) => void realTimeout(resolve, 1));
  }
}

/** The simulated service of a namespace, with a simulated partner, on virtual time. */
export async function simulatedPlace(options: RigOptions, taskQueue: string): Promise<RigPlace> {
  const world = worldOfTests();
  const namespace =
    options.namespace ??
    (options.ownNamespace || options.continueAfter || options.listedWithinMs ? taskQueue : 'default');
  const limits = {
    continueAfter: () => options.continueAfter ?? CONTINUE_AFTER,
    visibleWithinMs: options.listedWithinMs ?? 10,
    runsSingles: true as const,
  };
  const service = namespaces.get(namespace) ?? new Service(world, limits);
  namespaces.set(namespace, service);
  const partners = await Partners.open(world, { ...PACE, ...options.sandbox }, (milliseconds) => {
    network.refusesUntil = world.now + milliseconds;
  });
  const { url, network, close } = listening(partners.listener);
  const link: Link = { carry: (name, request) => world.awaited(network.carry(name, request)) };
  const client = clientOf(service, link);
  const address = newAddress();
  const disconnect = connectionAt(address, connectionOf(service, link));
  return {
    client,
    sandbox: new SandboxControl(url),
    env: { ...environmentFor(url), TEMPORAL_ADDRESS: address },
    async runWorker(dirs, more) {
      const config = configOf({ sandboxUrl: url, ...dirs }, { ...more, payloadKeys: '' });
      const stores = { documents: folder(dirs.documentDir), statements: folder(dirs.statementDir) };
      const worker = new Worker(`worker ${service.workers.length}`, world, service, network, config, stores);
      worker.start();
      return { stop: () => worker.stop() };
    },
    async close() {
      await partners.close();
      disconnect();
      close();
    },
  };
}
