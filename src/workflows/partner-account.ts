import { condition, setHandler } from '@temporalio/workflow';
import {
  credentialsRefused,
  type PartnerAccountInput,
  type ProbeRequest,
  type ProbeResult,
  type Refusal,
} from '../messages/partner-account.js';
import { type Answer, DEFAULT_DUE_IN_HOURS } from '../messages/requirements.js';
import { masked } from '../privacy/masked.js';
import { handleMessages } from './journey/handlers.js';
import { Journey } from './journey/journey.js';
import { accountName, partnerActivities, REPEATABLE, WAIT } from './journey/partner-activities.js';
import type { Question } from './journey/requirement-queue.js';
import { runDueTasks, type Task, unlessEnded } from './journey/tasks.js';
import { UnmatchedTickets, UnreadableReads } from './partner-account/requirements.js';

/**
 * Acts for one of our accounts at one partner, for all workflows that use it. While the partner refuses our credentials, it
 * asks a person once, tries them, and wakes everything that waits when they work. It also asks about tickets that no onboarding
 * shows, and about operations whose responses cannot be read. The first refusal, ticket or unreadable response starts it, as
 * `partner-account-<system>`, of a named account `partner-account-<system>@<account>`. It ends when nothing is left to do.
 */
export async function partnerAccount({ system }: PartnerAccountInput): Promise<{ readonly outcome: 'done' }> {
  const refusals = new Map<string, Refusal>();
  setHandler(credentialsRefused, ({ process, refusal }) => void refusals.set(process, refusal));
  const journey = new Journey({
    dueInHours: DEFAULT_DUE_IN_HOURS,
    nextSteps: {
      working: 'retry what was refused or could not be read; read the tickets again',
      done: 'The credentials work, responses can be read, and no ticket is left.',
    },
    leftBehind: () => 'waiting steps are retried every minute; open tickets stay at the partner',
  });
  handleMessages(journey);
  const tickets = new UnmatchedTickets(journey);
  const unreadable = new UnreadableReads(journey, system);
  const signIns = { name: 'sign in', run: () => signInAll(journey, system, refusals) };
  const dueTasks = (): readonly Task[] => [
    ...(refusals.size > 0 ? [signIns] : []),
    ...tickets.dueTasks,
    ...unreadable.dueTasks,
  ];
  return journey.run(async () => {
    // The signal that started the workflow may arrive after its start.
    await condition(() => dueTasks().length > 0);
    await runDueTasks(dueTasks);
    return { outcome: 'done' };
  });
}

type System = PartnerAccountInput['system'];

/** Tries the credentials of every refused process until they work, and then retries the activities that wait for them. */
async function signInAll(journey: Journey, system: System, refusals: Map<string, Refusal>): Promise<void> {
  const { wakeRefused } = partnerActivities(system)({
    // It reads all workflows of the account.
    wakeRefused: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Retry waiting activities' },
  });
  // Each process signs in for itself: a one-time code, for example, is good for one process.
  const signedIn = new Set<string>();
  for (let [first] = refusals; first; [first] = refusals) {
    const [process, refusal] = first;
    refusals.delete(process);
    journey.timeline.add('credentials-refused', { detail: `${refusal.operation}: ${refusal.reason}` });
    // The refusals that other processes remember are older than the credentials that work.
    const isOutdated = signedIn.size > 0 && !signedIn.has(process);
    signedIn.add(await signIn(journey, system, { process, ...(isOutdated && { afresh: true }) }));
    const woken = await wakeRefused();
    journey.timeline.add('credentials-work', { detail: `retried at once: ${woken}` });
  }
}

/**
 * Tries the credentials of a process until the partner accepts them. Meanwhile a person is asked, and further tries follow
 * without an answer.
 *
 * @returns the process that signed in: another one when that of `first` is gone
 */
async function signIn(journey: Journey, system: System, first: ProbeRequest): Promise<string> {
  const { probeAccount } = partnerActivities(system)({
    probeAccount: {
      ...WAIT,
      retry: { initialInterval: '5s', backoffCoefficient: 1 },
      summary: 'Try the credentials',
    },
  });
  const { requirements, state } = journey;
  let open: { readonly id: string; readonly question: Question } | undefined;
  const close = (why: string) => {
    if (open) requirements.withdraw(open.id, why);
    open = undefined;
    state.publish();
  };

  let { process, refusal } = await probeAccount(first);
  while (refusal) {
    const question = refusalQuestion(system, refusal);
    if (open && !isSame(open.question, question)) close('the partner now gives another reason');
    open ??= { id: requirements.raise(question), question };
    state.publish();
    const { id } = open;
    const found = await unlessEnded(
      () => probeAccount({ process, ...(refusal && { seen: refusal }) }),
      () => requirements.isAnswered(id),
    );
    const answer = requirements.take(id)?.resolution.answer;
    if (answer) open = undefined;
    ({ process, refusal } = answer ? await probeAccount(probeWith(answer, process)) : (found as ProbeResult));
  }
  close('the credentials work again');
  return process;
}

function probeWith(answer: Answer, process: string): ProbeRequest {
  return answer.kind === 'code' ? { process, code: answer.code } : { process, afresh: true };
}

function refusalQuestion(system: System, { kind, reason, needs, words }: Refusal): Question {
  const name = accountName();
  const partner = `the ${system} partner${name === undefined ? '' : ` (account ${name})`}`;
  const said = words === '' ? '' : ` Response of the partner: ${masked(words)}`;
  const alone =
    'Gangway tries the credentials once a minute, and everything that waits continues when they work.';
  if (needs === 'one-time-code')
    return {
      kind: 'one-time-code',
      title: `One-time code needed: sign in to ${partner}`,
      detail:
        `A worker process cannot sign in without a one-time code (${reason}). Answer with a code: it is valid for one sign-in, and ` +
        `each worker process signs in separately. With a TOTP secret in the settings, no code is needed. ${alone}${said}`,
      answers: ['code', 'retry'],
    };
  const [what, remedy] =
    kind === 'Forbidden'
      ? ['does not let us sign in (403): the account is locked or suspended', 'Ask the partner to unlock it.']
      : ['rejects our credentials (401)', 'Correct them in the worker settings, and restart the workers.'];
  return {
    kind: 'credentials',
    title: `No access: ${partner}`,
    detail: `The partner ${what}; ${reason}. ${remedy} ${alone} Answer retry to try them now.${said}`,
    answers: ['retry'],
  };
}

function isSame(one: Question, other: Question): boolean {
  return one.kind === other.kind && one.title === other.title;
}
