import { defineSearchAttributeKey } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type {
  GenerateStatementInput,
  OperationOutcome,
  SavedStatement,
} from '../messages/banking-activities.js';
import { runStep } from './journey/carry-out.js';
import { requireFields } from './journey/input.js';
import { saveStatement, sendStatement } from './operation/activities.js';
import { operate } from './operation/operate.js';

/** When a schedule meant to start a workflow, which may be long ago when it catches up. */
const SCHEDULED_START = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

/** Saves a statement into the statement store, and has it sent by e-mail when asked to (E10). */
export async function generateStatement(
  input: GenerateStatementInput,
): Promise<OperationOutcome<SavedStatement & { readonly emailed: boolean }>> {
  requireFields(input, { period: 'string', financialAccountIds: 'array', fileFormat: 'string' });
  const { email, ...rest } = input;
  const period = input.period === 'previous-month' ? previousMonth(dayOfStart()) : input.period;
  const request = { ...rest, period };
  return operate(`save the statement of ${period}`, async (journey) => {
    const saved = await runStep(journey, {
      title: 'save the statement',
      run: () => saveStatement(request),
      endsWhenRejected: true,
    });
    journey.timeline.add('statement-saved', { detail: saved.fileName });
    if (email === undefined) return { ...saved, emailed: false };
    journey.publish();
    await runStep(journey, {
      title: 'send the statement by e-mail',
      run: () => sendStatement({ ...request, email }),
      endsWhenRejected: true,
      once: {
        adopt: () => saved,
        idFormat: 'text',
        hint: `Ask whether the statement of ${period} has come by e-mail. If it has, adopt ${period}; if not, retry.`,
      },
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
