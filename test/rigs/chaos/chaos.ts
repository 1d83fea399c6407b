import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultPlan } from '../../../src/sandbox/faults.js';
import { type Markers, markers } from '../privacy/markers.js';
import { run } from '../processes.js';
import { aftermath, untold } from './aftermath.js';
import { castOf, faultsOf, type Party } from './cast.js';
import { answerForFranchises } from './franchise.js';
import { Operator, type Standing, waits } from './operator.js';
import { Sender } from './sender.js';
import { type Served, serveInOne } from './served.js';
import { Stage } from './stage.js';
import { startEveryone } from './starts.js';
import { type Truth, truthOf } from './truth.js';
import { judge, type Verdicts } from './verdicts.js';
import { type Weather, weatherOf } from './weather.js';

export interface ChaosOptions {
  readonly seed: number;
  /** How many are taken aboard. */
  readonly count: number;
  /** How long things go wrong, in milliseconds. */
  readonly lastsMs: number;
  /** Of the sandbox's underwriters, in milliseconds a step. */
  readonly paceMs: number;
  /** How long nobody may get on, once nothing goes wrong any more. */
  readonly patienceMs: number;
  /** Who is taken aboard; default: everyone of {@link castOf}. */
  readonly only?: (party: Party) => boolean;
  /** What goes wrong; default: as the seed says. */
  readonly weather?: Weather;
  /** The Temporal server; default: the development server. */
  readonly serve?: () => Promise<Served>;
  /** Told what goes on. */
  readonly tell?: (line: string) => void;
}

export interface ChaosReport {
  /** When nobody had answered any uncertain write. */
  readonly before: Verdicts;
  /** When they were answered from the ledger. */
  readonly after: Verdicts;
  /** What workflows believe and asked, and whether that is so. */
  readonly truth: Truth;
  /** What else is wrong: failed workflow tasks, markers that leaked, onboardings that nobody asked for, ... */
  readonly problems: readonly string[];
  /** Faults that were planned, and those of them that no call has met. */
  readonly planned: readonly FaultPlan[];
  readonly unmet: readonly FaultPlan[];
  readonly kills: Readonly<Record<string, number>>;
  /** What happened to processes, and when. */
  readonly incidents: readonly string[];
  /** How often a worker was cut off from Temporal for a while, and how often stopped. */
  readonly cuts: number;
  readonly stops: number;
  /** Processes that ended by themselves, and were started again. */
  readonly exits: number;
  /** Calls of the partners, and requests of the receiver. */
  readonly calls: number;
  readonly requests: number;
  /** Of the whole, and until nobody waited but for an answer about an uncertain write. */
  readonly seconds: { readonly all: number; readonly before: number };
}

/** How often the ops script is run, at most: what it has tried again may be lost anew. */
const MOST_ANSWERS = 5;

/** Takes many aboard while everything goes wrong, then has what is uncertain answered, and looks at what came of it. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const marked = markers();
  const { serve = serveInOne, paceMs } = options;
  const stage = await Stage.set(marked, paceMs, await serve());
  try {
    return await liveThrough(stage, marked, options);
  } finally {
    await stage.strike();
  }
}

async function liveThrough(stage: Stage, marked: Markers, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, count, lastsMs, patienceMs, tell = () => {} } = options;
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const { only = () => true, weather = weatherOf(seed, count, lastsMs) } = options;
  const cast = castOf(seed, count, marked).filter(only);
  const sender = new Sender(stage.receiverUrl);
  const operator = new Operator(stage, sender, cast, marked);

  let isOver = false;
  const ofCast = options.weather ? [] : faultsOf(cast);
  for (const plan of ofCast) await stage.plan(plan);
  const storm = Promise.all([rage(stage, weather), startEveryone(stage, sender, cast, timesOf(weather))]);
  const over = storm.finally(() => {
    isOver = true;
  });
  const attended = operator.attend(() => isOver, patienceMs);
  const [, printed] = await over;
  tell(`everyone is asked for, and the weather is over after ${seconds().toFixed(0)} s`);
  let standing = await attended;
  const { waiting: unmet } = await stage.control<Waiting>('DELETE', '/sandbox/faults');
  const before = await judge(stage, cast, standing, marked);
  const secondsBefore = seconds();
  tell(
    `${cast.filter((party) => waits(party, standing)).length} wait for an answer about an uncertain write after ${secondsBefore.toFixed(0)} s`,
  );

  for (let time = 0; time < MOST_ANSWERS && isWaiting(cast, standing); time += 1) {
    await answerUncertainWrites(stage, cast, tell);
    standing = await operator.attend(() => true, patienceMs);
  }
  const after = await judge(stage, cast, standing, marked);
  const truth = await truthOf(stage, cast, marked);
  const silence = await untold(stage, cast);
  const { calls } = await stage.control<Waiting>('GET', '/sandbox/faults');
  const { kills, exits, cuts, stops, incidents } = stage;
  const left = await aftermath(stage, cast, { marked, printed });
  const problems = [...operator.surprises, ...silence, ...left];
  return {
    ...{ before, after, truth, problems, unmet, kills, exits, cuts, stops, incidents, calls },
    planned: [...weather.faults.map(({ plan }) => plan), ...ofCast],
    requests: sender.requests,
    seconds: { all: seconds(), before: secondsBefore },
  };
}

interface Waiting {
  readonly calls: number;
  readonly waiting: readonly FaultPlan[];
}

function isWaiting(cast: readonly Party[], standing: Standing): boolean {
  return cast.some((party) => waits(party, standing));
}

/** Everyone is asked for in the first part of the weather, so that there is some of it left for everyone. */
function timesOf({ lastsMs, kills }: Weather) {
  const killBatchAt = kills.find(({ target }) => target === 'batch')?.at ?? lastsMs;
  return { lastsMs: lastsMs * 0.7, killBatchAt };
}

/** Lets everything go wrong at its time. */
async function rage(stage: Stage, { lastsMs, faults, kills, spells }: Weather): Promise<void> {
  const at = async (milliseconds: number, what: () => unknown) => {
    await sleep(milliseconds);
    await what();
  };
  await Promise.all([
    sleep(lastsMs),
    ...faults.map((fault) => at(fault.at, () => stage.plan(fault.plan))),
    ...kills.map((kill) => at(kill.at, () => stage.kill(kill))),
    ...spells.map((spell) => at(spell.at, () => stage.spell(spell))),
  ]);
  await stage.settled();
}

/** As an operator would, by the script that is in examples/. */
async function answerUncertainWrites(
  stage: Stage,
  cast: readonly Party[],
  tell: (line: string) => void,
): Promise<void> {
  const { env, rig } = stage;
  tell(`${await answerForFranchises(stage, cast)} of franchises are answered by legal name`);
  const script = 'examples/scripts/answer-uncertain-writes.sh';
  const gangway = { GANGWAY: `${process.execPath} dist/starter.js` };
  const { code, stdout, stderr } = await run(script, [rig.sandbox.url], { ...env, ...gangway });
  const answers = stdout.split('\n').filter(Boolean);
  tell(`${script} answers ${answers.length}, and exits with ${code} ${stderr}`.trim());
}
