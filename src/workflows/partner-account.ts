import { condition } from '@temporalio/workflow';
import type { PartnerAccountInput } from '../messages/partner-account.js';
import { refusedCredentials } from './partner-account/credentials.js';
import { type Duties, NO_DUTIES } from './partner-account/duties.js';
import { unmatchedTickets } from './partner-account/unmatched-tickets.js';
import { unreadableReads } from './partner-account/unreadable-reads.js';
import { OnboardingRuntime } from './runtime/onboarding-runtime.js';
import { runPendingTasks } from './runtime/tasks.js';

/**
 * Acts for one of our accounts at one partner, for all workflows that use it. While the partner refuses our credentials, it
 * asks a person once, has the process concerned try them, and wakes everything that waits when they work. It also asks about tickets
 * that no onboarding shows, and about operations that are not permitted, whose responses cannot be read, or in which our own code
 * fails. The first report of any of these starts it, as `partner-account-<system>`, of a named account
 * `partner-account-<system>@<account>`. It ends when nothing is left to do.
 */
export async function partnerAccount(input: PartnerAccountInput): Promise<{ readonly outcome: 'done' }> {
  const { system } = input;
  const runtime = new OnboardingRuntime<Duties, PartnerAccountInput>({
    ...{ input, partnerState: NO_DUTIES },
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
