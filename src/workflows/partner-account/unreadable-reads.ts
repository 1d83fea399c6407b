import { setHandler } from '@temporalio/workflow';
import {
  readsUnreadable,
  type UnreadableRead,
  type UnreadableReport,
} from '../../messages/partner-account.js';
import { partnerActivities, RETRY_WAITING, WAIT } from '../runtime/activity-proxies.js';
import { removeAnswered, withdrawRequirement } from '../runtime/requirements.js';
import { runUnlessEnded, type Task } from '../runtime/tasks.js';
import type { Account, Unreadable } from './duties.js';
import { type System, unreadableQuestion } from './questions.js';

/** Only this many of the workflows that wait for one operation are read. */
const MOST_WORKFLOWS = 20;

/** Asks people about operations that are unreadable or not permitted: one requirement for each, until no onboarding waits for it. */
export function unreadableReads(account: Account, system: System): () => readonly Task[] {
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
      const idOf = (each: Unreadable) => each.id || account.raise(unreadableQuestion(system, each));
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
  const workflowIds = [...new Set([...before.workflowIds, report.workflowId])].slice(0, MOST_WORKFLOWS);
  if (workflowIds.length === before.workflowIds.length) return all;
  return all.map((each) => (each === before ? { ...before, workflowIds } : each));
}
