import { defineSearchAttributeKey } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type {
  GenerateStatementInput,
  OperationOutcome,
  SavedStatement,
} from '../messages/banking-activities.js';
import { requireFields } from './journey/input.js';
import { runOperation } from './journey/journey.js';
import { ONCE, partnerActivities, REPEATABLE } from './journey/partner-activities.js';
import { runStep } from './journey/run-step.js';

/** A statement may have many pages, from many accounts. */
const LONG = '10m';

const { saveStatement, sendStatement } = partnerActivities('banking')({
  saveStatement: {
    ...REPEATABLE,
    startToCloseTimeout: LONG,
    heartbeatTimeout: '30s',
    summary: 'Save the statement',
  },
  sendStatement: {
    ...ONCE,
    startToCloseTimeout: LONG,
    summary: 'Send the statement by e-mail',
  },
});

/** The time at which a schedule should have started the workflow. A schedule that catches up starts it much later. */
const SCHEDULED_START = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

/** Saves a statement in the statement store, and sends it by e-mail when the input has an address (E10). */
export async function generateStatement(
  input: GenerateStatementInput,
): Promise<OperationOutcome<SavedStatement & { readonly emailed: boolean }>> {
  requireFields(input, { period: 'string', financialAccountIds: 'array', fileFormat: 'string' });
  const { email, ...rest } = input;
  const period = input.period === 'previous-month' ? previousMonth(dayOfStart()) : input.period;
  const request = { ...rest, period };
  return runOperation(`save the statement of ${period}`, async (journey) => {
    const saved = await runStep(journey, {
      effect: 'read',
      title: 'save the statement',
      run: () => saveStatement(request),
      endsWhenRejected: true,
    });
    journey.timeline.add('statement-saved', { detail: saved.fileName });
    if (email === undefined) return { ...saved, emailed: false };
    journey.state.report();
    await runStep(journey, {
      effect: 'once',
      title: 'send the statement by e-mail',
      run: (send) => send(sendStatement, { ...request, email }),
      endsWhenRejected: true,
      readEvidence: 'none',
      polledEvidence: 'none',
      adopt: () => saved,
      idFormat: 'text',
      whereToLook: `Ask whether the statement of ${period} has arrived by email. If it has, adopt ${period}.`,
    });
    journey.timeline.add('statement-sent');
    return { ...saved, emailed: true };
  });
}

function dayOfStart(): Date {
  const { typedSearchAttributes, startTime } = workflowInfo();
  return typedSearchAttributes.get(SCHEDULED_START) ?? startTime;
}

/** `2025-12` for any day of January 2026, in UTC. */
function previousMonth(day: Date): string {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
}
