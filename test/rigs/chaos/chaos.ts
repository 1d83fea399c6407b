import { setTimeout as sleep } from 'node:timers/promises';
import { castOf, KINDS, type Party } from '../../../simulation/cast.js';
import { type Examined, type Incident, killedAfterMark } from '../../../simulation/writes.js';
import { type Markers, markers } from '../privacy/markers.js';
import { run } from '../processes.js';
import { aftermath, unreported } from './aftermath.js';
import { misjudged, truthOf } from './judged.js';
import { Merchants } from './merchants.js';
import { Operator, waits } from './operator.js';
import { Sender } from './sender.js';
import { type Serve, serveInOne } from './served.js';
import { Stage } from './stage.js';
import { startEveryone } from './starts.js';
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
  readonly timeoutMs: number;
  /** Folder of another build of the workers; default: this project. */
  readonly build?: string;
  /** Starts the Temporal server; default: the development server. */
  readonly serve?: Serve;
  /** Gets a line for each phase. */
  readonly report?: (line: string) => void;
}

export interface ChaosReport {
  /** Whatever was lost, doubled or leaked, ended differently from its scenario, or was asked for nothing. */
  readonly wrong: readonly string[];
  /** How many waited for an answer about an uncertain write, and who still waits after all answers. */
  readonly waited: number;
  readonly waiting: readonly string[];
  /** Every question about a write, and the request that it is about. */
  readonly questions: readonly Examined[];
  readonly incidents: readonly Incident[];
  /** Calls to the partners, and requests to the receiver. */
  readonly calls: number;
  readonly requests: number;
  /** The merchants who answered through a link, their visits of the page, and those that it could not serve. */
  readonly links: Merchants['figures'];
}

/** How often the ops script runs, at most: a write that it retries may be lost again. */
const MOST_ANSWERS = 5;

/** Onboards many while everything fails, then resolves the uncertain writes, and compares the outcomes with the scenarios. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const marked = markers();
  const { serve = serveInOne, paceMs, build } = options;
  const stage = await Stage.set(marked, paceMs, serve, { build });
  try {
    return await runChaos(stage, marked, options);
  } finally {
    await stage.strike();
  }
}

/** Without businesses of one name, which the ops script does not distinguish. The simulation has them. */
export function castFor(seed: number, count: number, marked: Markers): Party[] {
  const withTwins = Math.ceil((count * KINDS.length) / (KINDS.length - 1));
  return castOf(seed, withTwins, marked)
    .filter(({ twin }) => !twin)
    .slice(0, count);
}

async function runChaos(stage: Stage, marked: Markers, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, count, lastsMs, timeoutMs, report = () => {} } = options;
  const began = performance.now();
  const say = (what: string) => report(`${what} after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const weather = weatherOf(seed, count, lastsMs, stage.serverParts);
  const cast = castFor(seed, count, marked);
  const sender = new Sender(stage.receiverUrls);
  const merchants = new Merchants(stage, marked);
  const operator = new Operator(stage, sender, cast, marked, merchants);

  let isOver = false;
  const storm = Promise.all([rage(stage, weather), startEveryone(stage, sender, cast, weather)]);
  const over = storm.finally(() => {
    isOver = true;
  });
  const attended = operator.attend(() => isOver, timeoutMs);
  const [, printed] = await over;
  say('all onboardings are requested, and the faults are over');
  let standing = await attended;
  await merchants.settled();
  standing = await operator.attend(() => true, timeoutMs);
  await stage.control('DELETE', '/sandbox/faults');
  const waitingNow = () => cast.filter((party) => waits(party, standing)).map(({ workflowId }) => workflowId);
  const before = await misjudged(stage, cast, standing, marked);
  const waited = waitingNow().length;
  say(`${waited} wait for an answer about an uncertain write`);

  for (let time = 0; time < MOST_ANSWERS && waitingNow().length > 0; time += 1) {
    say(await answerUncertainWrites(stage));
    standing = await operator.attend(() => true, timeoutMs);
  }
  const after = await misjudged(stage, cast, standing, marked);
  const { contradicted, questions } = await truthOf(stage, cast, marked);
  const silence = await unreported(stage, cast);
  const { calls } = await stage.control<{ readonly calls: number }>('GET', '/sandbox/faults');
  const { incidents } = stage;
  const left = await aftermath(stage, cast, { marked, printed, secrets: merchants.tokens });
  const forNothing = questions.filter(
    (question) => !question.request && killedAfterMark(question, incidents) === undefined,
  );
  return {
    wrong: [
      ...before.map((problem) => `before the answers: ${problem}`),
      ...after,
      ...contradicted,
      ...operator.surprises,
      ...merchants.surprises,
      ...silence,
      ...left,
      ...forNothing.map(({ workflowId, title }) => `${workflowId} asks about a write never sent: ${title}`),
    ],
    waited,
    waiting: waitingNow(),
    questions,
    incidents,
    calls,
    requests: sender.requests,
    links: merchants.figures,
  };
}

/** Causes each fault at its time. */
async function rage(stage: Stage, { lastsMs, faults, kills, spells }: Weather): Promise<void> {
  const at = async (milliseconds: number, what: () => unknown) => {
    await sleep(milliseconds);
    await what();
  };
  await Promise.all([
    sleep(lastsMs),
    ...faults.map((fault) => at(fault.at, () => stage.control('POST', '/sandbox/faults', fault.plan))),
    ...kills.map((kill) => at(kill.at, () => stage.kill(kill))),
    ...spells.map((spell) => at(spell.at, () => stage.spell(spell))),
  ]);
  await stage.settled();
}

/** Answers as an operator does, with the script in examples/. */
async function answerUncertainWrites({ env, rig }: Stage): Promise<string> {
  const script = 'examples/scripts/answer-uncertain-writes.sh';
  const gangway = { GANGWAY: `${process.execPath} dist/starter.js` };
  const { code, stdout, stderr } = await run(script, [rig.sandbox.url], { ...env, ...gangway });
  const answers = stdout.split('\n').filter(Boolean);
  return `${script} printed ${answers.length} answers and exited with ${code} ${stderr}`.trim();
}
