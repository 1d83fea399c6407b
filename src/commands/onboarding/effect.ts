import { Deadline } from '../../http/deadline.js';
import type { RequirementKind, TimelineEvent } from '../../messages/codes.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Answer, AnswerKind, Requirement, ResolutionReceipt } from '../../messages/requirements.js';
import { answeredBefore } from '../../texts/timeline-entries.js';
import type { CommandContext } from '../cli/command-line.js';
import { CommandFailed } from '../cli/errors.js';
import { gangwayOf } from '../cli/follow.js';
import { whileShowing } from '../cli/progress.js';

interface Accepted {
  readonly workflowId: string;
  /** The workflow that asked: of a customer, the part. */
  readonly asking: string;
  readonly typed: string;
  readonly answer: Answer;
  /** Both undefined where they could not be read. The state is the one before the answer. */
  readonly requirement: Requirement | undefined;
  readonly state: OnboardingState | undefined;
  readonly receipt: ResolutionReceipt;
}

/** Reports an answer, with the outcome if it is known within a few seconds. @throws {CommandFailed} when the same is asked again */
export async function reportAccepted(
  context: CommandContext,
  accepted: Accepted,
  json: true | undefined,
): Promise<void> {
  const { cli } = context;
  const { workflowId, asking, typed, answer, requirement, receipt } = accepted;
  const wait = (asked: Requirement) =>
    whileShowing(cli, `${asked.id}: waiting for the result`, () => effectOf(context, asking, asked));
  const effect = requirement && hasEffect(answer.kind, requirement) ? await wait(requirement) : undefined;
  if (json) cli.json({ workflowId, ...receipt, ...effect });
  if (effect?.askedAgain) throw failed(answer, typed, effect.askedAgain);
  if (!json) cli.prose(doneText(accepted, effect));
}

function doneText({ answer, typed, state, receipt }: Accepted, effect: Effect | undefined): string {
  const { requirementId: id, open } = receipt;
  if (answer.kind === 'take-back') return `${id} is open again: gangway resolve ${typed} ${id}`;
  const { event, detail } = effect?.done ?? {};
  const done = event ? ` (${[event, detail].filter(Boolean).join(': ')})` : '';
  const unknown = effect?.unknown ? ', but its result is not known yet' : '';
  const answered = `${id} answered${done}${unknown}.`;
  if (open === 0) return `${answered} Nothing is left to answer; "gangway watch ${typed}" follows it.`;
  const others = state?.requirements.filter((each) => each.id !== id) ?? [];
  const notes = others.filter((each) => each.kind === 'underwriting-note');
  const isNote = state?.requirements.some((each) => each.id === id && each.kind === 'underwriting-note');
  if (isNote && notes.length > 0)
    return `${answered} It is sent together with the other notes, which are still open:\n${linesOf(notes)}`;
  return `${answered} Still open:${others.length === open ? `\n${linesOf(others)}` : ` ${open}`}`;
}

function linesOf(requirements: readonly Requirement[]): string {
  return requirements.map(({ id, title, detail }) => `  ${id}: ${detail.split('\n')[0] || title}`).join('\n');
}

const NOT_DONE = { adopt: 'not adopted', retry: 'tried again, without success', correction: 'not accepted' };

function failed({ kind }: Answer, typed: string, { id, kind: asked, detail }: Requirement): CommandFailed {
  const why = asked === 'uncertain-write' ? /^.* cannot be adopted: (.*)$/m.exec(detail)?.[1] : detail;
  const what = NOT_DONE[kind as keyof typeof NOT_DONE];
  return new CommandFailed(
    `${what}${why === undefined ? '' : `: ${why}`}\nIt is asked again as ${id}: gangway resolve ${typed} ${id}`,
  );
}

interface Effect {
  /** The answer failed, so a person is asked again. */
  readonly askedAgain?: Requirement;
  /** The next step of the workflow. */
  readonly done?: { readonly event: TimelineEvent; readonly detail: string };
  readonly unknown?: true;
}

/** The time limit for a partner to respond to the request that an answer leads to, in milliseconds. */
const EFFECT_TIMEOUT_MS = 8_000;

function hasEffect(kind: AnswerKind, { kind: asked }: Requirement): boolean {
  return ['adopt', 'retry', 'correction'].includes(kind) && asked !== 'waiting';
}

/** Waits until the outcome of an answer is known. @param workflowId of the workflow that asked: for a customer, the part */
async function effectOf(context: CommandContext, workflowId: string, answered: Requirement): Promise<Effect> {
  const deadline = new Deadline({ ms: EFFECT_TIMEOUT_MS, until: context.cli.signal });
  try {
    for await (const { state } of gangwayOf(context).watch(workflowId, { signal: deadline.signal })) {
      const effect = state ? effectIn(state, answered) : UNKNOWN;
      if (effect) return effect;
    }
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
  } finally {
    deadline.release();
  }
  return UNKNOWN;
}

const UNKNOWN: Effect = { unknown: true };

/** The requirements of a step that fails, besides the one that was answered. */
const FAILURES: readonly RequirementKind[] = ['rejected-input', 'uncertain-write', 'credentials'];

/** Entries that are no effect: the partner's own change, and what comes before the next question. */
const NEITHER: readonly TimelineEvent[] = ['status-changed', 'write-uncertain', 'answer-rejected'];

/** The first entry after the answer decides: a later question is another one. */
function effectIn(
  { timeline, requirements }: OnboardingState,
  { id, kind }: Requirement,
): Effect | undefined {
  const answer = answeredBefore(timeline, id);
  for (const entry of answer ? timeline.slice(timeline.indexOf(answer) + 1) : []) {
    const { event, detail = '' } = entry;
    const askedAgain = requirements.find((each) => detail.startsWith(`${each.id}: `));
    const isFailure = askedAgain && [kind, ...FAILURES].includes(askedAgain.kind);
    if (event === 'requirement-raised' && isFailure) return { askedAgain };
    if (!event.startsWith('requirement-') && !NEITHER.includes(event)) return { done: { event, detail } };
  }
  return undefined;
}
