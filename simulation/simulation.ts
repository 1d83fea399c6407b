import { activityInfo, asyncLocalStorage } from '@temporalio/activity';
import { habitOutcome } from '../src/apps/sandbox/habits/habits.js';
import { DEFAULT_TASK_QUEUE } from '../src/messages/ids.js';
import { omitUndefined } from '../src/messages/objects.js';
import { TRACE_HEADER } from '../src/messages/trace-sinks.js';
import { ACCOUNTS } from '../src/messages/workflow-types.js';
import { type FileStore, StoreFailure } from '../src/platform/documents/file-store.js';
import type { OperationStart } from '../src/temporal/start.js';
import type { WorkersConfig } from '../src/worker/create-worker.js';
import { configOf } from '../test/rigs/worker-config.js';
import { STORE_FAILS } from './answers.js';
import { castOf, KINDS, type Party, workersOf } from './cast.js';
import { operationOf } from './errands.js';
import { ACCOUNT, existingOf, startedAgain, twisted } from './existing.js';
import { broken, type Problem } from './invariants.js';
import { holderOf } from './ledger.js';
import { MARKERS } from './markers.js';
import { Network, replaceTransport } from './network.js';
import { memoryFiles, PARTNERS_URL, Partners } from './partners.js';
import { People } from './people.js';
import { DAY_MS, type Incident, MOVES, type Plan, SHORT_RECORD, SHORT_RUN } from './plan.js';
import { encoded } from './runtime.js';
import type { Scene } from './scene.js';
import { clientOf } from './service/requests.js';
import { Service } from './service/service.js';
import { dbaFormIn, Starts } from './starts.js';
import { installVirtualTime } from './virtual-time.js';
import { Worker } from './worker.js';
import { type Line, Process, World } from './world.js';

/** What a run has shown. */
export interface Verdict {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
  readonly trace: readonly Line[];
  readonly onboardings: number;
  readonly steps: number;
  /** What the run has reached: pairs of a fault or habit and the state that it met, and pairs of timeline entries in a row. */
  readonly reached: readonly string[];
}

/** How long all onboardings of a run may take, in milliseconds, although everything is answered. */
const TIMEOUT_MS = 60 * DAY_MS;

/** A run takes some thousand steps. One that takes more repeats something without an end. */
const MOST_STEPS = 100_000;

/** After this time a partner mends a habit, in milliseconds. */
const MENDED_MS = DAY_MS / 8;

/** The process whose password may be wrong. */
const WRONG_ONE = 'worker 1';

/** How long an account takes at most to find that a process has ended, in milliseconds. */
const FOUND_MS = 3 * 60_000;

/** How long it takes until a write has its intent, and until it has its response, in milliseconds. */
const WRITE_MS = [40, 250] as const;

/** Where outbound events would go. */
const DESTINATION = { id: 'subscriber', url: 'https://example.com' };

/** The settings of a worker, whose account without a name may have a wrong password. */
function settingsOf(plan: Plan, isWrong: boolean): WorkersConfig {
  const place = {
    taskQueue: DEFAULT_TASK_QUEUE,
    sandboxUrl: PARTNERS_URL,
    documentDir: '',
    statementDir: '',
  };
  const right = configOf(place, {
    accounts: plan.twists.includes('account') ? [ACCOUNT] : [],
    dbaForm: dbaFormIn(plan),
    poll: { minMs: 15 * 60_000, maxMs: 4 * 3_600_000 },
    events: { secrets: [], toLoopback: true, destinations: [DESTINATION] },
  });
  const { partners } = configOf(place, { password: 'wrong', bankingPassword: 'wrong' });
  return isWrong ? { ...right, partners } : right;
}

/** Scenarios in which the partner asks more than once, or takes something back. */
const TWICE = /same|more|again|reopened|hold|mistake|changes/;

/** What callers send as the trace to which an onboarding belongs. */
const TRACES: readonly [object, ...(object | null)[]] = [
  { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  { traceparent: 'none' },
  null,
];

/** Runs a plan from its first request to the end of the last onboarding. */
export async function simulate(plan: Plan): Promise<Verdict> {
  installVirtualTime();
  const world = new World(plan.seed);
  World.current = world;
  const pace = { milliseconds: plan.paceMs };
  const partners = await Partners.open(world, { password: MARKERS.password, pace });
  try {
    return await new Simulation(plan, world, partners).run();
  } finally {
    World.current = undefined;
    await partners.close();
  }
}

class Simulation {
  readonly #scene: Scene;
  readonly #service: Service;
  readonly #network: Network;
  readonly #people: People;
  readonly #starts: Starts;
  readonly #cast: Party[];
  readonly #operations: OperationStart[] = [];
  readonly #office = new Process('people');
  readonly #workers: Worker[] = [];
  readonly #cancelled = new Set<Party>();
  readonly #interrupted = new Set<Party>();
  /** Worker processes with a wrong password. */
  readonly #wrong = new Set<Process>();
  #isCorrected = false;
  /** How many onboardings somebody is about to start again. */
  #restarts = 0;
  #releases = 0;
  readonly #reached = new Set<string>();

  constructor(
    private readonly plan: Plan,
    private readonly world: World,
    private readonly partners: Partners,
  ) {
    const network = new Network(world, partners.listener, plan);
    network.onWrite = (number) => {
      const { process } = World;
      const delay = world.chance.between(0, world.chance.pick(WRITE_MS));
      world.after(delay, () => this.#reach('write', number, process), null);
    };
    network.onStrike = (what) => void this.#reached.add(`${what} × ${this.#stateNow()}`);
    const { tasks = [] } = plan;
    const continueAfter = (type: string) =>
      plan.continueAfter === SHORT_RUN && type === 'partnerRecord' ? SHORT_RECORD : plan.continueAfter;
    const service = new Service(world, { continueAfter, tasks, visibleWithinMs: 2_000 });
    const [trace] = plan.twists.includes('traced') ? encoded(world.chance.pick<object | null>(TRACES)) : [];
    const headers = omitUndefined({ [TRACE_HEADER]: trace });
    const client = clientOf(service, { carry: (_, request) => request() }, headers);
    const cast = partiesOf(plan);
    this.#scene = { world, plan, cast, partners, network, client, service, files: memoryFiles() };
    this.#people = new People(this.#scene, (party) => this.#end(party, 'cancelled'));
    this.#starts = new Starts(this.#scene, this.#people, this.#operations);
    [this.#network, this.#service, this.#cast] = [network, service, cast];
  }

  async run(): Promise<Verdict> {
    const { plan, world, partners } = this;
    const [people, starts] = [this.#people, this.#starts];
    await this.#prepare();
    for (const name of ['worker 1', 'worker 2']) this.#startWorker(name);
    if (plan.hasWrongPassword)
      world.after(world.chance.between(DAY_MS / 96, DAY_MS / 4), () => this.#correct(), null);
    // A part may be canceled before all of its writes.
    const isPart = ({ type, outcome }: Party) => type === 'customerOnboarding' && outcome !== 'onboarded';
    if (plan.twists.includes('cancels'))
      for (const party of this.#cast.filter(isPart)) people.spared.add(party);
    for (const move of plan.moves)
      await partners.control('POST', '/sandbox/faults', { milliseconds: 0, ...MOVES[move], times: 1 });
    starts.begin((delayMs, run) => this.#begin(delayMs, run));
    this.#begin(0, () => people.work());

    let steps = 0;
    await world.run(() => {
      steps += 1;
      this.#reach('step', steps);
      if (steps > MOST_STEPS) people.surprises.add(`the run takes more than ${MOST_STEPS} steps`);
      return (starts.haveBegun && this.#isOver()) || people.surprises.size > 0;
    }, world.now + TIMEOUT_MS);
    const trace = [...world.trace];

    const promise = 'Nobody is asked, or rejected, for no reason.';
    const early = [...failures(world), ...[...people.surprises].map((what) => ({ promise, what }))];
    const problems = early.length > 0 ? early : await this.#examine();
    this.#killAll();
    return { plan, problems, trace, onboardings: this.#cast.length, steps, reached: [...this.#reached] };
  }

  /** Before Gangway begins, nothing goes wrong. */
  async #prepare(): Promise<void> {
    const { world, partners, plan } = this;
    const calm = new Network(world, partners.listener, { faults: [], losses: [] });
    replaceTransport(() => calm);
    let isReady = false;
    this.#begin(0, async () => {
      for (const [index, party] of this.#cast.entries())
        this.#cast[index] = twisted(await existingOf(party, plan.existing, partners, world.chance), plan);
      for (const errand of plan.errands)
        if (errand !== 'batch' && errand !== 'invalid')
          this.#operations.push(await operationOf(errand, world.chance));
      // Of the cards that these are about, nobody asks.
      isReady = true;
    });
    await world.run(() => isReady, world.now + DAY_MS);
    partners.begins();
    this.#begin(0, () => this.#haveHabits(plan.habits));
    // Those that no program can work with, the partner mends.
    const stay = plan.habits.filter((name) => habitOutcome(name) === 'tolerated');
    if (stay.length < plan.habits.length) this.#begin(MENDED_MS, () => this.#haveHabits(stay));
    replaceTransport(() => this.#network);
  }

  /** After the last fault, by a worker that has nothing in its memory: it replays every workflow. */
  async #examine(): Promise<readonly Problem[]> {
    const { world } = this;
    const { batch, invalid = [] } = this.#starts;
    const by = { people: this.#people, cancelled: this.#cancelled, interrupted: this.#interrupted };
    const end = { ...this.#scene, ...by, batch, invalid, wrong: this.#wrong };
    this.#network.clears();
    this.#killAll();
    this.#startWorker('examiner');
    let problems: readonly Problem[] | undefined;
    this.#begin(0, async () => {
      await this.#haveHabits([]);
      // It finds that processes have ended.
      if (this.plan.hasWrongPassword) await world.sleep(FOUND_MS);
      problems = await broken(end, (pair) => void this.#reached.add(pair));
    });
    await world.run(() => problems !== undefined, world.now + DAY_MS);
    return problems ?? [...failures(world), { promise: RUNS, what: 'the end could not be examined' }];
  }

  async #haveHabits(habits: readonly string[]): Promise<void> {
    await this.partners.haveHabits(habits);
    if (this.plan.habits.length > 0)
      this.world.say('partner', `has the habits ${habits.join(', ') || 'of everybody'}`);
  }

  /** The workflow whose activity makes a request: its type, run, stage and open kinds of questions, and what is in flight. */
  #stateNow(): string {
    if (!asyncLocalStorage.getStore()) return 'people';
    const { workflowExecution, activityType } = activityInfo();
    const run = this.#service.latest(workflowExecution?.workflowId ?? '');
    const { OnboardingStage: stage, Requirements: listed } = run?.searchAttributes ?? {};
    const kinds = new Set([listed ?? []].flat().map((entry) => String(entry).split(' ')[0]));
    const which = run?.start.before === undefined ? 'first' : 'later';
    return [run?.start.type, which, stage, [...kinds].sort().join('+'), activityType].join(' ');
  }

  #isOver(): boolean {
    return (
      this.#restarts === 0 &&
      this.#service.runs.every(({ isOpen, start }) => !isOpen || start.neverRuns || start.type in ACCOUNTS)
    );
  }

  #begin(delayMs: number, run: () => Promise<unknown>): void {
    const { world } = this;
    world.within(this.#office, () =>
      world.after(delayMs, () => void run().catch((error) => void world.failures.push(error))),
    );
  }

  #startWorker(name: string): void {
    const { plan, world } = this;
    const { files } = this.#scene;
    const shelf = plan.twists.includes('store') ? failing(files, world, this.#network) : files;
    const isWrong = plan.hasWrongPassword === true && name.startsWith(WRONG_ONE) && !this.#isCorrected;
    const stores = { documents: shelf, statements: shelf };
    const worker = new Worker(name, world, this.#service, this.#network, settingsOf(plan, isWrong), stores);
    if (isWrong) this.#wrong.add(worker);
    this.#workers.push(worker);
    worker.start();
  }

  /** The processes that take tasks: those that run, and are not about to end. */
  get #working(): Worker[] {
    return this.#workers.filter((one) => one.isAlive && this.#service.workers.includes(one));
  }

  /** Somebody corrects the password, and restarts the process that has the wrong one. */
  #correct(): void {
    this.#isCorrected = true;
    for (const worker of this.#working.filter((one) => this.#wrong.has(one))) {
      this.#startWorker(worker.name);
      void worker.stop();
    }
  }

  #killAll(): void {
    for (const worker of this.#workers.splice(0)) if (worker.isAlive) worker.kill();
  }

  /** Ends an onboarding, or a part of it, and perhaps starts it again later. */
  async #end(party: Party, how: 'cancelled' | 'terminated'): Promise<void> {
    const { chance } = this.world;
    const workflowId = chance.pick([party.workflowId, party.workflowId, ...workersOf(party)]);
    const run = this.#service.open(workflowId);
    if (!run) return;
    this.world.say('people', `${workflowId} is to be ${how}`);
    this.#cancelled.add(party);
    if (how === 'terminated') {
      this.#interrupted.add(party);
      run.terminate();
    } else await this.#scene.client.workflow.getHandle(workflowId).cancel();
    if (chance.happens(0.5)) return;
    this.#restarts += 1;
    await this.world.sleep(chance.between(DAY_MS / 24, DAY_MS));
    this.#restarts -= 1;
    const { ledger } = this.partners;
    const isOpen = [party.workflowId, ...workersOf(party)].some((id) => this.#service.open(id));
    // A business would be submitted once more.
    if (isOpen || holderOf(party, ledger)) return;
    this.#interrupted.add(party);
    this.#people.forget(party);
    await this.#starts.request(startedAgain(party, ledger), true);
  }

  #reach(of: Incident['of'], number: number, process?: Process): void {
    if (this.#network.isClear) return;
    for (const incident of this.plan.incidents)
      if (incident.of === of && incident.number === number) this.#happens(incident, process);
  }

  #happens({ how, milliseconds }: Incident, process?: Process): void {
    const { world } = this;
    const working = this.#working;
    if (working.length === 0) return;
    const worker = working.find((each) => each === process) ?? world.chance.pick(working);
    switch (how) {
      case 'killed':
        worker.kill();
        world.after(milliseconds, () => this.#startWorker(worker.name), null);
        break;
      case 'frozen':
        worker.frozenUntil = world.now + milliseconds;
        world.after(milliseconds, () => this.#service.handOut(), null);
        world.say(worker.name, `is frozen for ${milliseconds / 1_000} s`);
        break;
      case 'released':
        this.#releases += 1;
        for (const { name } of working) this.#startWorker(`${name.slice(0, 8)}.${this.#releases}`);
        for (const each of working) void each.stop();
        break;
      case 'forgets':
        worker.forget();
        break;
      case 'cancelled':
      case 'terminated':
        this.#begin(0, () => this.#end(world.chance.pick(this.#cast), how));
        break;
      case 'jumps':
        worker.clockMs += milliseconds;
        world.say(worker.name, `has a clock that jumps by ${milliseconds / 1_000} s`);
    }
  }
}

/** The parties of a plan, as its cast has them. */
function partiesOf({ seed, who, parties }: Plan): Party[] {
  const all = castOf(seed, 4 * KINDS.length, MARKERS);
  const any = all.filter(({ twin }) => !twin);
  const name = all.find(({ twin }) => twin)?.businessName;
  const twins = all.filter(({ twin, businessName }) => twin && businessName === name);
  const cast = { any, askedTwice: any.filter(({ scenario }) => TWICE.test(scenario)), twins };
  return [...new Set(parties.flatMap((place) => cast[who][place] ?? any[place] ?? []))];
}

const RUNS = 'No workflow task fails, and no other code of a worker that nobody waits for.';

function failures({ failures: all }: World): Problem[] {
  return all.map((error) => ({
    promise: RUNS,
    what: error instanceof Error ? error.message : String(error),
  }));
}

/** Documents and statements are missing, or out of reach, now and then. */
function failing(files: FileStore, { chance }: World, network: Network): FileStore {
  const fails = (name: string) => {
    if (network.isClear || name.endsWith('.rows') || chance.happens(0.5)) return;
    const kind = chance.pick(['missing', 'refused', 'unavailable'] as const);
    throw new StoreFailure(files.place, kind, STORE_FAILS);
  };
  return {
    ...files,
    async open(name) {
      fails(name);
      return files.open(name);
    },
    async save(name, ...content) {
      fails(name);
      return files.save(name, ...content);
    },
  };
}
