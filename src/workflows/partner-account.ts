import { ActivityFailure, TimeoutFailure } from '@temporalio/common';
import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import type { UnmatchedTicket } from '../messages/banking-activities.js';
import type { Pace } from '../messages/onboarding-state.js';
import {
  credentialsRefused,
  type PartnerAccountInput,
  type ProcessActivities,
  type Refusal,
  readsUnreadable,
  ticketsSeen,
  type UnreadableRead,
  type UnreadableReport,
} from '../messages/partner-account.js';
import { credentialsQuestion, type Partner, unreadableQuestion } from './account-questions.js';
import { sendReply, titleOfReply } from './business/steps.js';
import {
  NO_TICKETS,
  reduceRejection,
  reduceTickets,
  type Tickets,
  type TicketWording,
  withAnswer,
} from './business/tickets.js';
import { currentAccount, POLL, partnerActivities, RETRY_WAITING, WAIT } from './runtime/activity-proxies.js';
import { pendingAnswerTo } from './runtime/answers.js';
import { OnboardingRuntime } from './runtime/onboarding-runtime.js';
import { answeredOfKind } from './runtime/reducer.js';
import { Abandoned, dropAnswer, removeAnswered, withdrawRequirement } from './runtime/requirements.js';
import { runRead } from './runtime/run-step.js';
import type { PendingAnswer } from './runtime/state.js';
import { paceAfter } from './runtime/status-poll.js';
import { Rejected } from './runtime/step.js';
import { runPendingTasks, runUnlessEnded, type Task } from './runtime/tasks.js';
import { reductionTransition } from './runtime/until-decided.js';

/**
 * Handles the problems of one account at one partner, for all workflows that use it. If the partner rejects our credentials, it
 * asks a person once, tests them in the worker process that was rejected, and wakes all waiting activities once they work. It also
 * asks about tickets that no onboarding shows, and about operations that are not permitted, return unreadable responses, or fail in
 * our own code. The first report of a problem starts it. The workflow ID is `partner-account-<system>`, followed by `@<account>`
 * for a named account. It ends when nothing is left to do.
 */
export async function partnerAccount(input: PartnerAccountInput): Promise<{ readonly outcome: 'done' }> {
  const { system } = input;
  const runtime = new OnboardingRuntime<AccountState, PartnerAccountInput>({
    input,
    partnerState: INITIAL_ACCOUNT_STATE,
    nextSteps: {
      working: 'retry what was refused or could not be read; read the tickets again',
      done: 'The credentials work, responses can be read, and no ticket is left.',
    },
    leftBehind: () => 'waiting steps are retried every minute; open tickets stay at the partner',
  });
  const duties = [
    refusedCredentials(runtime, system),
    unmatchedTickets(runtime),
    unreadableReads(runtime, system),
  ];
  const pendingTasks = () => duties.flatMap((tasksOf) => tasksOf());
  return runtime.run(async () => {
    // The signal that started the workflow may arrive after its start.
    await condition(() => pendingTasks().length > 0);
    await runPendingTasks(pendingTasks);
    return { outcome: 'done' };
  });
}

/** The problems that an account handles. */
interface AccountState extends Tickets {
  /** By worker process, because each signs in by itself. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  readonly unreadable: readonly Unreadable[];
  /** Tickets that no onboarding shows. */
  readonly listed: readonly UnmatchedTicket[];
  /** A poll has reported tickets about other profiles since this workflow last read the tickets. */
  readonly isReported: boolean;
  readonly pace?: Pace | undefined;
}

/** The first report about an operation, and the workflows that wait for the operation. */
interface Unreadable extends UnreadableReport {
  readonly workflowIds: readonly string[];
  /** The ID of its requirement; '' before it is raised. */
  readonly id: string;
}

const INITIAL_ACCOUNT_STATE: AccountState = {
  ...NO_TICKETS,
  refusals: {},
  unreadable: [],
  listed: [],
  isReported: false,
};

type Account = OnboardingRuntime<AccountState, PartnerAccountInput>;

/** The maximum number of workflows to query for whether they still wait for an operation. */
const MAX_WORKFLOWS = 20;

/** Asks people once about each operation that is unreadable or not permitted, until no onboarding waits for it. */
function unreadableReads(account: Account, system: Partner['system']): () => readonly Task[] {
  const { published } = account;
  const all = () => account.partnerState.unreadable;
  const { awaitReadable, retryReads } = partnerActivities(system)({
    awaitReadable: { ...WAIT, summary: 'Wait until responses can be read' },
    retryReads: RETRY_WAITING,
  });
  setHandler(readsUnreadable, (report) => account.patchState({ unreadable: withReport(all(), report) }));
  const close = (isOver: (each: Unreadable) => boolean, why: string) => {
    const over = all().filter(isOver);
    account.patchState({ unreadable: all().filter((each) => !isOver(each)) });
    for (const { id } of over) account.update(withdrawRequirement(id, why), removeAnswered(id));
    return over;
  };
  const isAnswered = ({ id }: Unreadable) => account.isAnswered(id);
  const run = async () => {
    while (all().length > 0) {
      const idOf = (each: Unreadable) =>
        each.id || account.raise(unreadableQuestion({ system, account: currentAccount() }, each));
      account.patchState({ unreadable: all().map((each) => ({ ...each, id: idOf(each) })) });
      published.report();
      const questions = all();
      const readable = await runUnlessEnded(
        () => awaitReadable({ reads: questions.map(readOf) }),
        () => all() !== questions || all().some(isAnswered),
      );
      close(({ operation }) => readable?.includes(operation) === true, 'it works again');
      for (const answered of close(isAnswered, 'answered')) await retryReads(readOf(answered));
      published.report();
    }
  };
  return () => (all().length > 0 ? [{ name: 'unreadable responses', run }] : []);
}

function readOf({ operation, workflowIds }: Unreadable): UnreadableRead {
  return { operation, workflowIds };
}

function withReport(all: readonly Unreadable[], report: UnreadableReport): readonly Unreadable[] {
  const before = all.find(({ operation }) => operation === report.operation);
  if (!before) return [...all, { ...report, workflowIds: [report.workflowId], id: '' }];
  const workflowIds = [...new Set([...before.workflowIds, report.workflowId])].slice(0, MAX_WORKFLOWS);
  if (workflowIds.length === before.workflowIds.length) return all;
  return all.map((each) => (each === before ? { ...before, workflowIds } : each));
}

/**
 * Asks once, for all onboardings, about credentials that the partner rejects in a worker process. When the partner accepts them, or
 * the process has ended, retries the waiting activities. Handles one rejected process at a time.
 */
function refusedCredentials(account: Account, system: Partner['system']): () => readonly Task[] {
  const refusals = () => Object.entries(account.partnerState.refusals);
  setHandler(credentialsRefused, ({ process, refusal }) =>
    account.patchState({ refusals: { ...account.partnerState.refusals, [process]: refusal } }),
  );
  const { wakeRefused } = partnerActivities(system)({ wakeRefused: RETRY_WAITING });

  /** Returns the check for a process. It also returns null if the process has ended and nobody polls its task queue. */
  const checkIn = (process: string): ProcessActivities['checkCredentials'] => {
    const { checkCredentials } = proxyActivities<ProcessActivities>({
      ...WAIT,
      taskQueue: process,
      scheduleToStartTimeout: '15s',
      summary: 'Try the credentials',
      retry: { initialInterval: '5s', backoffCoefficient: 1 },
    });
    return (request) =>
      checkCredentials(request).catch((error: unknown) => {
        // The server retries after any other timeout.
        if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return null;
        throw error;
      });
  };

  /** Asks a person. Waits for the answer, or until the result of the check changes. @returns the new result */
  const ask = async (process: string, seen: Refusal): Promise<Refusal | null> => {
    const id = account.raise(credentialsQuestion({ system, account: currentAccount() }, process, seen));
    account.published.report();
    const wait = () => checkIn(process)({ seen });
    const result = (await runUnlessEnded(wait, () => account.isAnswered(id))) ?? null;
    const answer = pendingAnswerTo(account.store, id)?.resolution.answer;
    account.update(
      withdrawRequirement(id, result ? 'the reason has changed' : 'no longer refused'),
      removeAnswered(id),
    );
    account.published.report();
    if (!answer) return result;
    return checkIn(process)({ now: true, code: answer.kind === 'code' ? answer.code : undefined });
  };

  const run = async () => {
    // After a success, test at once, because the next refusal may be older than the success.
    let now = false;
    for (let [first] = refusals(); first; [first] = refusals()) {
      const [process, { operation, reason }] = first;
      account.patchState({ refusals: Object.fromEntries(refusals().slice(1)) });
      account.record('credentials-refused', { detail: `${operation}: ${reason}` });
      let refusal = await checkIn(process)({ now });
      while (refusal) refusal = await ask(process, refusal);
      account.record('credentials-work', { detail: `retried at once: ${await wakeRefused()}` });
      now = true;
    }
  };
  return () => (refusals().length > 0 ? [{ name: 'refused credentials', run }] : []);
}

/** Uses the activity ID of a status poll, so a nudge resets it, for example after a reply. */
const { awaitUnmatchedTickets } = partnerActivities('banking')({
  awaitUnmatchedTickets: { ...POLL, summary: 'Wait until the tickets without an onboarding change' },
});

const ASKING: TicketWording = {
  answers: ['text', 'retry'],
  whenGone: 'the partner no longer asks, or an onboarding shows the ticket',
};

/** Asks people about tickets that no running onboarding shows, and sends their replies. Keeps reading while there is one. */
function unmatchedTickets(account: Account): () => readonly Task[] {
  setHandler(ticketsSeen, () => account.patchState({ isReported: true }));
  const ask = () => {
    const { partnerState } = account;
    account.update(reductionTransition(reduceTickets(partnerState, partnerState.listed, account, ASKING)));
    account.published.report();
  };
  const read = async () => {
    account.patchState({ isReported: false });
    account.patchState(await readTickets(account));
    ask();
  };
  const toDeliver = () => answeredOfKind(account, 'ticket');
  const deliver = async () => {
    for (const answered of toDeliver()) {
      // A person may have taken this answer back while another one was being delivered.
      const isLeft = toDeliver().some(({ resolution }) => resolution === answered.resolution);
      if (isLeft) await deliverAnswer(account, answered);
    }
    ask();
  };
  const isDue = () => account.partnerState.isReported || account.partnerState.listed.length > 0;
  return () => [
    ...(isDue() ? [{ name: 'read tickets', run: read }] : []),
    ...(toDeliver().length > 0 ? [{ name: 'answer tickets', run: deliver }] : []),
  ];
}

async function readTickets(account: Account): Promise<Pick<AccountState, 'listed' | 'pace'>> {
  const { listed, pace } = account.partnerState;
  const asks = listed.map((ticket) => [ticket.ticketId, ticket.asks]);
  // If no ticket is known, return the first read: there is no change to wait for.
  const seen = asks.length > 0 ? Object.fromEntries(asks) : null;
  const run = () => awaitUnmatchedTickets({ seen, pace });
  try {
    const { snapshot, isFirst } = await runRead(account, 'read the tickets', run, { waitsForChange: true });
    return { listed: snapshot, pace: paceAfter(pace, isFirst) };
  } catch (error) {
    // A person may have abandoned the read, for example because it is not permitted.
    if (!(error instanceof Abandoned)) throw error;
    return { listed: [], pace };
  }
}

/** Sends the answer if it is a reply. Any other answer only closes the question. */
async function deliverAnswer(account: Account, answered: PendingAnswer): Promise<void> {
  const { requirement, resolution } = answered;
  const { answer } = resolution;
  let replyId: number | null = null;
  try {
    if (answer.kind === 'text') {
      const send = () => sendReply(account, requirement, answer.text);
      replyId = await account.whileSending([answered], [titleOfReply(requirement)], send);
      account.record('ticket-answered', { detail: requirement.id });
    }
  } catch (error) {
    if (error instanceof Rejected)
      return account.update(
        reductionTransition(reduceRejection(account.partnerState, requirement, error.message)),
      );
    if (!(error instanceof Abandoned)) throw error;
    account.update(dropAnswer(requirement.id, 'a person abandoned the reply'));
  }
  account.update(removeAnswered(requirement.id));
  account.patchState(withAnswer(account.partnerState, requirement, replyId));
}
