/** Our access to a partner: the credentials that it accepts, what it permits, and the responses that can be read. */
import { setHandler } from '@temporalio/workflow';
import {
  credentialsRefused,
  type PartnerAccountInput,
  type ProbeRequest,
  type ProbeResult,
  type Refusal,
  readsUnreadable,
  type UnreadableRead,
  type UnreadableReport,
} from '../../messages/partner-account.js';
import { masked } from '../../platform/privacy/masked.js';
import { accountName, partnerActivities, REPEATABLE, WAIT } from '../journey/activity-proxies.js';
import { answerTo } from '../journey/answers.js';
import { minuteOf } from '../journey/current-details.js';
import { removed, withdrawn } from '../journey/requirements.js';
import type { Question } from '../journey/state.js';
import { type Task, unlessEnded } from '../journey/tasks.js';
import type { Account, Unreadable } from './duties.js';

type System = PartnerAccountInput['system'];

/** Tries the credentials of each refused process, which signs in for itself, and wakes the waiting activities when they work. */
export function signIns(account: Account, system: System): () => readonly Task[] {
  const { state, timeline } = account;
  const refusals = () => Object.entries(account.memory.refusals);
  setHandler(credentialsRefused, ({ process, refusal }) =>
    account.remember({ refusals: { ...account.memory.refusals, [process]: refusal } }),
  );
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
   * Tries them until the partner accepts them, and asks a person meanwhile. Returns the process: another one if `first` is gone.
   */
  const signIn = async (first: ProbeRequest): Promise<string> => {
    let asked: { readonly id: string; readonly title: string } | undefined;
    const close = (why: string) => {
      if (asked) account.update(withdrawn(asked.id, why));
      asked = undefined;
      state.report();
    };
    let { process, refusal: seen } = await probeAccount(first);
    while (seen) {
      const question = questionOf(system, seen);
      if (asked && asked.title !== question.title) close('the partner now gives another reason');
      asked ??= { id: account.raise(question), title: question.title };
      state.report();
      const { id } = asked;
      const waiting = { process, seen };
      const found = await unlessEnded(
        () => probeAccount(waiting),
        () => account.isAnswered(id),
      );
      const answer = answerTo(account.cell, id)?.resolution.answer;
      account.update(removed(id));
      if (answer) asked = undefined;
      const how = answer?.kind === 'code' ? { code: answer.code } : { afresh: true as const };
      const result = answer ? await probeAccount({ process, ...how }) : (found as ProbeResult);
      ({ process, refusal: seen } = result);
    }
    close('the credentials work again');
    return process;
  };

  const run = async () => {
    const signedIn = new Set<string>();
    for (let [first] = refusals(); first; [first] = refusals()) {
      const [process, { operation, reason }] = first;
      account.remember({ refusals: Object.fromEntries(refusals().slice(1)) });
      timeline.add('credentials-refused', { detail: `${operation}: ${reason}` });
      // The refusals that other processes remember are older than the credentials that work.
      const isOutdated = signedIn.size > 0 && !signedIn.has(process);
      signedIn.add(await signIn({ process, ...(isOutdated && { afresh: true }) }));
      timeline.add('credentials-work', { detail: `retried at once: ${await wakeRefused()}` });
    }
  };
  return () => (refusals().length > 0 ? [{ name: 'sign in', run }] : []);
}

function questionOf(system: System, { kind, reason, needs, words }: Refusal): Question {
  const partner = partnerInWords(system);
  const alone =
    'Gangway tries the credentials once a minute, and everything that waits continues when they work.';
  if (needs === 'one-time-code')
    return {
      kind: 'one-time-code',
      title: `One-time code needed: sign in to ${partner}`,
      detail:
        `A worker process cannot sign in without a one-time code (${reason}). Answer with a code: it is valid for one sign-in, and ` +
        `each worker process signs in separately. With a TOTP secret in the settings, no code is needed. ${alone}${said(words)}`,
      answers: ['code', 'retry'],
    };
  const [what, remedy] =
    kind === 'Forbidden'
      ? ['does not let us sign in (403): the account is locked or suspended', 'Ask the partner to unlock it.']
      : ['rejects our credentials (401)', 'Correct them in the worker settings, and restart the workers.'];
  return {
    kind: 'credentials',
    title: `No access: ${partner}`,
    detail: `The partner ${what}; ${reason}. ${remedy} ${alone} Answer retry to try them now.${said(words)}`,
    answers: ['retry'],
  };
}

function said(words: string): string {
  return words === '' ? '' : ` Response of the partner: ${masked(words)}`;
}

export function partnerInWords(system: System): string {
  const account = accountName();
  return `the ${system} partner${account === undefined ? '' : ` (account ${account})`}`;
}

/** Only this many of the workflows that wait for one operation are read. */
const MOST_WORKFLOWS = 20;

/** Asks people about operations that are unreadable or not permitted: one requirement for each, until no onboarding waits for it. */
export function unreadableReads(account: Account, system: System): () => readonly Task[] {
  const { state } = account;
  const all = () => account.memory.unreadable;
  const { awaitReadable, retryReads } = partnerActivities(system)({
    awaitReadable: { ...WAIT, summary: 'Wait until responses can be read' },
    retryReads: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Retry waiting activities' },
  });
  setHandler(readsUnreadable, (report) => account.remember({ unreadable: withReport(all(), report) }));
  const close = (isOver: (each: Unreadable) => boolean, why: string) => {
    const over = all().filter(isOver);
    account.remember({ unreadable: all().filter((each) => !isOver(each)) });
    for (const { id } of over) account.update(withdrawn(id, why), removed(id));
    return over;
  };
  const isAnswered = ({ id }: Unreadable) => account.isAnswered(id);
  const run = async () => {
    while (all().length > 0) {
      const idOf = (each: Unreadable) => each.id || account.raise(unreadableQuestion(system, each));
      account.remember({ unreadable: all().map((each) => ({ ...each, id: idOf(each) })) });
      state.report();
      const asked = all();
      const readable = await unlessEnded(
        () => awaitReadable({ reads: asked.map(readOf) }),
        () => all() !== asked || all().some(isAnswered),
      );
      close(({ operation }) => readable?.includes(operation) === true, 'it works again');
      for (const answered of close(isAnswered, 'answered')) await retryReads(readOf(answered));
      state.report();
    }
  };
  return () => (all().length > 0 ? [{ name: 'unreadable responses', run }] : []);
}

function readOf({ operation, workflowIds }: Unreadable): UnreadableRead {
  return { operation, workflowIds };
}

function withReport(all: readonly Unreadable[], report: UnreadableReport): readonly Unreadable[] {
  const known = all.find(({ operation }) => operation === report.operation);
  if (!known) return [...all, { ...report, workflowIds: [report.workflowId], id: '' }];
  const workflowIds = [...new Set([...known.workflowIds, report.workflowId])].slice(0, MOST_WORKFLOWS);
  if (workflowIds.length === known.workflowIds.length) return all;
  return all.map((each) => (each === known ? { ...known, workflowIds } : each));
}

function unreadableQuestion(
  system: System,
  { operation, since, what, workflowId, forbidden, failing }: UnreadableReport,
): Question {
  if (failing !== undefined)
    return {
      kind: 'software-error',
      title: `Our software fails: ${operation} at ${partnerInWords(system)}`,
      detail:
        `Since ${minuteOf(since)}, ${operation} of the workers fails in ${failing} (${masked(what)}). ${workflowId} waits for it, and ` +
        'perhaps others. The partner cannot help. What failed before its request has sent nothing, and a write that may have been sent ' +
        'is not sent again. Put a corrected build into service, or take this one back with "deploy/roll-out.sh back". Gangway tries ' +
        'again every few minutes, and this requirement closes when that succeeds. Answer retry to try at once.',
      answers: ['retry'],
    };
  if (forbidden !== undefined)
    return {
      kind: 'credentials',
      title: `Not permitted: ${operation} of ${partnerInWords(system)}`,
      detail:
        `The partner accepts our credentials, and does not permit ${operation} (${forbidden}). ${workflowId} waits for it, and perhaps ` +
        'others; or its record belongs to another organization. Ask the partner for the permission. Gangway tries again every ' +
        `minute, and this requirement closes when that succeeds. Answer retry to try at once.${said(what)}`,
      answers: ['retry'],
    };
  return {
    kind: 'unreadable',
    title: `Unreadable responses: ${operation} of ${partnerInWords(system)}`,
    detail:
      `Since ${minuteOf(since)}, responses to ${operation} cannot be read. The last one: ${masked(what) || 'unknown'}. ` +
      'Ask the partner whether it has changed its contract, or its address. Gangway repeats the reads, and this requirement closes when they ' +
      'succeed. Answer retry to read at once.',
    answers: ['retry'],
  };
}
