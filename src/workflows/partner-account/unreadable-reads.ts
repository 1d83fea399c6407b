import { setHandler } from '@temporalio/workflow';
import {
  type PartnerAccountInput,
  readsUnreadable,
  type UnreadableRead,
  type UnreadableReport,
} from '../../messages/partner-account.js';
import { masked } from '../../privacy/masked.js';
import { minuteOf } from '../journey/current-details.js';
import type { Journey } from '../journey/journey.js';
import { partnerActivities, REPEATABLE, WAIT } from '../journey/partner-activities.js';
import type { Question } from '../journey/requirement-queue.js';
import { type Task, unlessEnded } from '../journey/tasks.js';
import { partnerInWords } from './sign-ins.js';

/** The first report of an operation, and all workflows that wait. */
interface Unreadable extends UnreadableReport {
  readonly workflowIds: readonly string[];
  /** The id of the requirement; '' until it is raised. */
  readonly id: string;
}

/** Only this many of the workflows that wait for one operation are read. */
const MOST_WORKFLOWS = 20;

/**
 * Asks people about operations whose responses cannot be read: one requirement for each operation, however many onboardings
 * wait. The requirement closes when none of the reported onboardings waits any more.
 */
export function unreadableReads(
  journey: Journey,
  system: PartnerAccountInput['system'],
): () => readonly Task[] {
  const { requirements, state } = journey;
  const { awaitReadable, retryReads } = partnerActivities(system)({
    awaitReadable: { ...WAIT, summary: 'Wait until responses can be read' },
    retryReads: { ...REPEATABLE, startToCloseTimeout: '10m', summary: 'Retry waiting activities' },
  });
  let all: readonly Unreadable[] = [];
  setHandler(readsUnreadable, (report) => {
    all = withReport(all, report);
  });
  const close = (isOver: (each: Unreadable) => boolean, why: string) => {
    const over = all.filter(isOver);
    all = all.filter((each) => !isOver(each));
    for (const { id } of over) {
      requirements.withdraw(id, why);
      requirements.settle(id);
    }
    return over;
  };
  const isAnswered = ({ id }: Unreadable) => requirements.isAnswered(id);
  const run = async () => {
    while (all.length > 0) {
      all = all.map((each) => ({ ...each, id: each.id || requirements.raise(questionOf(system, each)) }));
      state.report();
      const asked = all;
      const readable = await unlessEnded(
        () => awaitReadable({ reads: asked.map(readOf) }),
        () => all !== asked || all.some(isAnswered),
      );
      close(({ operation }) => readable?.includes(operation) === true, 'its responses can be read again');
      for (const answered of close(isAnswered, 'answered')) await retryReads(readOf(answered));
      state.report();
    }
  };
  return () => (all.length > 0 ? [{ name: 'unreadable responses', run }] : []);
}

function readOf({ operation, workflowIds }: Unreadable): UnreadableRead {
  return { operation, workflowIds };
}

/** @returns the same array when nothing in the report is new */
function withReport(all: readonly Unreadable[], report: UnreadableReport): readonly Unreadable[] {
  const known = all.find(({ operation }) => operation === report.operation);
  if (!known) return [...all, { ...report, workflowIds: [report.workflowId], id: '' }];
  const workflowIds = [...new Set([...known.workflowIds, report.workflowId])].slice(0, MOST_WORKFLOWS);
  if (workflowIds.length === known.workflowIds.length) return all;
  return all.map((each) => (each === known ? { ...known, workflowIds } : each));
}

function questionOf(
  system: PartnerAccountInput['system'],
  { operation, since, what }: UnreadableReport,
): Question {
  return {
    kind: 'unreadable',
    title: `Unreadable responses: ${operation} of ${partnerInWords(system)}`,
    detail:
      `Since ${minuteOf(since)}, responses to ${operation} cannot be read. The last one: ${masked(what) || 'unknown'}. ` +
      'Ask the partner whether it has changed its contract. Gangway repeats the reads, and this requirement closes when they ' +
      'succeed. Answer retry to read at once.',
    answers: ['retry'],
  };
}
