import type { Client } from '@temporalio/client';
import { readAccounts } from '../src/partners/account-settings.js';
import { sandboxAccount } from '../src/sandbox/systems.js';
import {
  startBusinessOnboarding,
  startCustomerOnboarding,
  startMerchantBoarding,
} from '../src/temporal/start.js';
import type { WorkersConfig } from '../src/worker/workflow-worker.js';
import { castOf, type Party } from '../test/rigs/chaos/cast.js';
import { broken } from './invariants.js';
import { MARKERS } from './markers.js';
import { Network, replaceTransport } from './network.js';
import { memoryFiles, PARTNERS_URL, Partners } from './partners.js';
import { People } from './people.js';
import { MOVES, type Plan } from './plan.js';
import { TASK_QUEUE } from './service/names.js';
import { clientOf } from './service/requests.js';
import { Service } from './service/service.js';
import { installVirtualTime } from './virtual-time.js';
import { Worker } from './worker.js';
import { type Line, Process, World } from './world.js';

/** What a run has shown. */
export interface Verdict {
  readonly plan: Plan;
  /** A sentence for each promise that was not kept. */
  readonly problems: readonly string[];
  readonly trace: readonly Line[];
  readonly onboardings: number;
  readonly virtualMs: number;
  readonly steps: number;
}

const DAY_MS = 24 * 3_600_000;

/** How long all onboardings of a run may take, in milliseconds, although everything is answered. */
const PATIENCE_MS = 60 * DAY_MS;

/** A step of the underwriters, in milliseconds. */
const PACE_MS = 3_600_000;

/** All are requested within this time, in milliseconds. */
const REQUESTED_WITHIN_MS = 600_000;

/** The settings of the workers. */
const CONFIG: WorkersConfig = {
  ...readAccounts(sandboxAccount(PARTNERS_URL)),
  ...{ taskQueue: TASK_QUEUE, documentDir: '', statementDir: '', dbaForm: 'shown', version: undefined },
  payloadKeys: undefined,
  poll: { minMs: 15 * 60_000, maxMs: 4 * 3_600_000 },
  patience: { retryAfterMaxMs: 3_600_000, stepMs: DAY_MS, unreadableMs: 3_600_000 },
  events: { secrets: [], toLoopback: true, destinations: [] },
};

const ONCE = { times: 1, milliseconds: 0 };

const networks = new WeakMap<World, Network>();

let isInstalled = false;

function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  installVirtualTime();
  replaceTransport((world) => networks.get(world));
}

/** Runs a plan from its first request to the end of the last onboarding. */
export async function simulate(plan: Plan): Promise<Verdict> {
  install();
  const world = new World(plan.seed);
  World.current = world;
  const partners = await Partners.open(world, {
    ...{ password: MARKERS.password, pace: { milliseconds: PACE_MS } },
  });
  try {
    return await new Simulation(plan, world, partners).run();
  } finally {
    World.current = undefined;
    await partners.close();
  }
}

class Simulation {
  readonly #service: Service;
  readonly #network: Network;
  readonly #client: Client;
  readonly #cast: readonly Party[];
  readonly #files = memoryFiles();
  readonly #office = new Process('people');
  readonly #workers = new Map<string, Worker>();
  #steps = 0;

  constructor(
    private readonly plan: Plan,
    private readonly world: World,
    private readonly partners: Partners,
  ) {
    this.#network = new Network(world, partners.listener, plan);
    networks.set(world, this.#network);
    this.#service = new Service(world, { continueAfter: plan.continueAfter, visibleWithinMs: 2_000 });
    this.#client = clientOf(this.#service, { carry: (_, request) => request() });
    this.#cast = castOf(plan.seed, 5 * plan.parties, MARKERS)
      .filter(({ twin }) => !twin)
      .slice(0, plan.parties);
  }

  async run(): Promise<Verdict> {
    const { plan, world, partners } = this;
    const [client, service, cast] = [this.#client, this.#service, this.#cast];
    for (const name of ['worker 1', 'worker 2']) this.#startWorker(name);
    const people = new People(world, client, partners, this.#files, cast, MARKERS, plan.shiftMs);
    for (const move of plan.moves)
      await partners.control('POST', '/sandbox/faults', { ...MOVES[move], ...ONCE });
    for (const party of cast)
      for (let time = 0; time < (party.twice ? 2 : 1); time += 1)
        this.#begin(world.chance.between(0, REQUESTED_WITHIN_MS), () => request(client, party));
    this.#begin(0, () => people.work());

    const began = world.now;
    const incidents = plan.incidents.toSorted((one, other) => one.step - other.step);
    await world.run(() => {
      this.#steps += 1;
      while (incidents[0] && incidents[0].step <= this.#steps) this.#happens(incidents.shift());
      return this.#isOver();
    }, began + PATIENCE_MS);
    const virtualMs = world.now - began;

    const problems = [...failures(world), ...people.surprises];
    if (problems.length === 0)
      problems.push(...(await this.#examine({ world, cast, partners, service, client })));
    for (const worker of this.#workers.values()) worker.kill();
    return { plan, problems, trace: world.trace, onboardings: cast.length, virtualMs, steps: this.#steps };
  }

  /** After the last fault, by a worker that has nothing in its memory: it replays every workflow. */
  async #examine(end: Omit<Parameters<typeof broken>[0], 'network'>): Promise<readonly string[]> {
    this.#network.clears();
    for (const worker of this.#workers.values()) worker.kill();
    this.#startWorker('examiner');
    let problems: readonly string[] | undefined;
    this.#begin(0, async () => {
      problems = await broken({ ...end, network: this.#network });
    });
    await this.world.run(() => problems !== undefined, this.world.now + DAY_MS);
    return problems ?? [...failures(this.world), 'the end could not be examined'];
  }

  #isOver(): boolean {
    const isAsked = this.#cast.every(({ workflowId }) => this.#service.latest(workflowId));
    return (
      isAsked && this.#service.runs.every(({ isOpen, start }) => !isOpen || start.type.startsWith('partner'))
    );
  }

  #begin(delayMs: number, run: () => Promise<unknown>): void {
    const { world } = this;
    world.within(this.#office, () =>
      world.after(delayMs, () => void run().catch((error) => void world.failures.push(error))),
    );
  }

  #startWorker(name: string): void {
    const worker = new Worker(...([name, this.world, this.#service, this.#network, CONFIG] as const), {
      documents: this.#files,
      statements: this.#files,
    });
    this.#workers.set(name, worker);
    worker.start();
  }

  #happens(incident: Plan['incidents'][number] | undefined): void {
    const { world } = this;
    const [name, worker] = world.chance.pick([...this.#workers] as [[string, Worker], ...[string, Worker][]]);
    if (!incident || !worker.isAlive) return;
    const { how, milliseconds } = incident;
    if (how === 'killed') {
      worker.kill();
      world.after(milliseconds, () => this.#startWorker(name), null);
    } else {
      worker.frozenUntil = world.now + milliseconds;
      world.say(name, `is frozen for ${milliseconds / 1_000} s`);
    }
  }
}

function failures({ failures: all }: World): string[] {
  return all.map((error) => `failed: ${error instanceof Error ? error.message : String(error)}`);
}

function request(client: Client, { type, input }: Party): Promise<unknown> {
  const options = { taskQueue: TASK_QUEUE };
  if (type === 'merchantBoarding') return startMerchantBoarding(client, input, options);
  if (type === 'businessOnboarding') return startBusinessOnboarding(client, input, options);
  return startCustomerOnboarding(client, input, options);
}
