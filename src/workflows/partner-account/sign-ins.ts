import { setHandler } from '@temporalio/workflow';
import {
  credentialsRefused,
  type PartnerAccountInput,
  type ProbeRequest,
  type ProbeResult,
  type Refusal,
} from '../../messages/partner-account.js';
import type { Answer } from '../../messages/requirements.js';
import { masked } from '../../privacy/masked.js';
import type { Journey } from '../journey/journey.js';
import { accountName, partnerActivities, REPEATABLE, WAIT } from '../journey/partner-activities.js';
import type { Question } from '../journey/requirement-queue.js';
import { type Task, unlessEnded } from '../journey/tasks.js';

type System = PartnerAccountInput['system'];

/**
 * Tries the credentials of every refused process until they work, and then retries the activities that wait for them. Each
 * process signs in for itself: a one-time code, for example, is good for one process.
 */
export function signIns(journey: Journey, system: System): () => readonly Task[] {
  const { requirements, state, timeline } = journey;
  const refusals = new Map<string, Refusal>();
  setHandler(credentialsRefused, ({ process, refusal }) => void refusals.set(process, refusal));
  const { probeAccount, wakeRefused } = partnerActivities(system)({
    probeAccount: {
      ...WAIT,
      retry: { initialInterval: '5s', backoffCoefficient: 1 },
      summary: 'Try the credentials',
    },
    // It reads all workflows of the account.
    wakeRefused: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Retry waiting activities' },
  });

  /**
   * Tries the credentials of a process until the partner accepts them. Meanwhile a person is asked, and further tries follow
   * without an answer. Returns the process that signed in: another one when that of `first` is gone.
   */
  const signIn = async (first: ProbeRequest): Promise<string> => {
    let asked: { readonly id: string; readonly title: string } | undefined;
    const close = (why: string) => {
      if (asked) requirements.withdraw(asked.id, why);
      asked = undefined;
      state.report();
    };
    let { process, refusal: seen } = await probeAccount(first);
    while (seen) {
      const question = questionOf(system, seen);
      if (asked && asked.title !== question.title) close('the partner now gives another reason');
      asked ??= { id: requirements.raise(question), title: question.title };
      state.report();
      const { id } = asked;
      const waiting = { process, seen };
      const found = await unlessEnded(
        () => probeAccount(waiting),
        () => requirements.isAnswered(id),
      );
      const answer = requirements.settle(id)?.resolution.answer;
      if (answer) asked = undefined;
      const result = answer ? await probeAccount(probeWith(answer, process)) : (found as ProbeResult);
      ({ process, refusal: seen } = result);
    }
    close('the credentials work again');
    return process;
  };

  const run = async () => {
    const signedIn = new Set<string>();
    for (let [first] = refusals; first; [first] = refusals) {
      const [process, { operation, reason }] = first;
      refusals.delete(process);
      timeline.add('credentials-refused', { detail: `${operation}: ${reason}` });
      // The refusals that other processes remember are older than the credentials that work.
      const isOutdated = signedIn.size > 0 && !signedIn.has(process);
      signedIn.add(await signIn({ process, ...(isOutdated && { afresh: true }) }));
      timeline.add('credentials-work', { detail: `retried at once: ${await wakeRefused()}` });
    }
  };
  return () => (refusals.size > 0 ? [{ name: 'sign in', run }] : []);
}

function probeWith(answer: Answer, process: string): ProbeRequest {
  return answer.kind === 'code' ? { process, code: answer.code } : { process, afresh: true };
}

function questionOf(system: System, { kind, reason, needs, words }: Refusal): Question {
  const partner = partnerInWords(system);
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

export function partnerInWords(system: System): string {
  const account = accountName();
  return `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
}
