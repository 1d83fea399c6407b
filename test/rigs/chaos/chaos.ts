import { setTimeout as sleep } from 'node:timers/promises';
import { resolveRequirement } from '../../../src/messages/requirements.js';
import type { FaultPlan } from '../../../src/sandbox/faults.js';
import { stateOf } from '../../../src/temporal/onboardings.js';
import { type Markers, markers } from '../privacy/markers.js';
import { run } from '../processes.js';
import { aftermath, unreported } from './aftermath.js';
import { castOf, faultsOf, type Party } from './cast.js';
import { Operator, type Standing, waits, workersOf } from './operator.js';
import type { Incident } from './questions.js';
import { Sender } from './sender.js';
import { type Serve, serveInOne } from './served.js';
import { Stage } from './stage.js';
import { startEveryone } from './starts.js';
import { type Truth, truthOf } from './truth.js';
import { judge, type Verdicts } from './verdicts.js';
import { type Weather, weatherOf } from './weather.js';

export interface ChaosOptions {
  readonly seed: number;
  /** How many are onboarded. */
  readonly count: number;
  /** How long faults occur, in milliseconds. */
  readonly lastsMs: number;
  /** Pace of the sandbox's underwriters, in milliseconds a step. */
  readonly paceMs: number;
  /** How long no onboarding may progress after the last fault, in milliseconds. */
  readonly patienceMs: number;
  /** Folder of another build of the workers; default: this project. */
  readonly build?: string;
  /** Starts the Temporal server; default: the development server. */
  readonly serve?: Serve;
  /** Gets a line for each phase. */
  readonly report?: (line: string) => void;
}

export interface ChaosReport {
  /** Before any uncertain write was answered. */
  readonly before: Verdicts;
  /** After all of them were answered from the ledger. */
  readonly after: Verdicts;
  /** What workflows count as done and ask, compared with the ledger. */
  readonly truth: Truth;
  /** Other problems: failed workflow tasks, leaked markers, onboardings that nobody requested, ... */
  readonly problems: readonly string[];
  /** The planned faults, and those of them that no call has met. */
  readonly planned: readonly FaultPlan[];
  readonly unmet: readonly FaultPlan[];
  readonly kills: Readonly<Record<string, number>>;
  readonly incidents: readonly Incident[];
  /** How often a worker was cut off from Temporal for a while, and how often it was stopped. */
  readonly cuts: number;
  readonly stops: number;
  /** Processes that ended on their own and were restarted. */
  readonly exits: number;
  /** Calls to the partners, and requests to the receiver. */
  readonly calls: number;
  readonly requests: number;
  /** Of the whole run, and until nothing was left but questions about uncertain writes. */
  readonly seconds: { readonly all: number; readonly before: number };
}

/** How often the ops script runs, at most: a write that it retries may be lost again. */
const MOST_ANSWERS = 5;

/** Onboards many while everything fails, then resolves the uncertain writes, and compares the outcomes with the scenarios. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const marked = markers();
  const { serve = serveInOne, paceMs, build } = options;
  const stage = await Stage.set(marked, paceMs, serve, build);
  try {
    return await runChaos(stage, marked, options);
  } finally {
    await stage.strike();
  }
}

async function runChaos(stage: Stage, marked: Markers, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, count, lastsMs, patienceMs, report = () => {} } = options;
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const weather = weatherOf(seed, count, lastsMs, stage.serverParts);
  const cast = castOf(seed, count, marked);
  const sender = new Sender(stage.receiverUrls);
  const operator = new Operator(stage, sender, cast, marked);

  let isOver = false;
  const ofCast = faultsOf(cast);
  for (const plan of ofCast) await stage.plan(plan);
  const storm = Promise.all([rage(stage, weather), startEveryone(stage, sender, cast, timesOf(weather))]);
  const over = storm.finally(() => {
    isOver = true;
  });
  const attended = operator.attend(() => isOver, patienceMs);
  const [, printed] = await over;
  report(`all onboardings are requested, and the faults are over after ${seconds().toFixed(0)} s`);
  let standing = await attended;
  const { waiting: unmet } = await stage.control<Waiting>('DELETE', '/sandbox/faults');
  const before = await judge(stage, cast, standing, marked);
  const secondsBefore = seconds();
  report(
    `${cast.filter((party) => waits(party, standing)).length} wait for an answer about an uncertain write after ${secondsBefore.toFixed(0)} s`,
  );

  for (let time = 0; time < MOST_ANSWERS && isWaiting(cast, standing); time += 1) {
    await answerUncertainWrites(stage, cast, report);
    standing = await operator.attend(() => true, patienceMs);
  }
  const after = await judge(stage, cast, standing, marked);
  const truth = await truthOf(stage, cast, marked);
  const silence = await unreported(stage, cast);
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

/** All onboardings are requested in the first part of the weather, so that each meets some of it. */
function timesOf({ lastsMs, kills }: Weather) {
  const killBatchAt = kills.find(({ target }) => target === 'batch')?.at ?? lastsMs;
  return { lastsMs: lastsMs * 0.7, killBatchAt };
}

/** Causes each fault at its time. */
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

/** Answers as an operator does, with the script in examples/. */
async function answerUncertainWrites(
  stage: Stage,
  cast: readonly Party[],
  report: (line: string) => void,
): Promise<void> {
  const { env, rig } = stage;
  report(`${await answerForFranchises(stage, cast)} questions of franchises are answered by legal name`);
  const script = 'examples/scripts/answer-uncertain-writes.sh';
  const gangway = { GANGWAY: `${process.execPath} dist/starter.js` };
  const { code, stdout, stderr } = await run(script, [rig.sandbox.url], { ...env, ...gangway });
  const answers = stdout.split('\n').filter(Boolean);
  report(`${script} printed ${answers.length} answers and exited with ${code} ${stderr}`.trim());
}

/**
 * Resolves the uncertain submissions of franchises, as a person does who compares the legal name. The dba alone does not
 * distinguish them.
 *
 * @returns how many questions were answered
 */
async function answerForFranchises(stage: Stage, cast: readonly Party[]): Promise<number> {
  const { client } = stage.rig;
  const ledger = await stage.ledger();
  let count = 0;
  for (const party of cast.filter(({ twin }) => twin)) {
    const made = ledger.find(({ name, of }) => name === party.businessName && of === party.legalName);
    for (const workflowId of workersOf(party)) {
      const state = await stateOf(client, workflowId).catch(() => undefined);
      const asked = state?.requirements.filter(
        ({ kind, title }) =>
          kind === 'uncertain-write' && title.endsWith('submit the business account holder'),
      );
      for (const { id: requirementId } of asked ?? []) {
        const answer = made ? { kind: 'adopt' as const, id: String(made.id) } : { kind: 'retry' as const };
        const resolution = { requirementId, answer, actor: 'chaos', reason: 'by the legal name' };
        await client.workflow.getHandle(workflowId).executeUpdate(resolveRequirement, { args: [resolution] });
        count += 1;
      }
    }
  }
  return count;
}
