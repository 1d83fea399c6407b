import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { BusinessOnboardingInput } from '../messages/business-onboarding-input.js';
import { partId } from '../messages/customer-onboarding.js';
import type { CustomerOnboardingInput } from '../messages/customer-onboarding-input.js';
import { partsOfId } from '../messages/ids.js';
import type { MerchantBoardingInput } from '../messages/merchant-boarding-input.js';
import type { Restored } from '../messages/restored.js';
import type { TerminalProvisioningInput } from '../messages/terminal-provisioning-input.js';
import type { BackedUp } from './backup.js';
import { newcomer } from './onboardings.js';
import { priorityOf } from './priority.js';

/**
 * What became of an entry of a backup. `adopts`: started with what it has at its partner. `looks`: started, and nothing was known
 * of it at a partner; it looks there, and asks a person before it creates anything. `there`: it is known to Temporal.
 * `skipped`: somebody ended it, or it failed.
 */
export type Restoring = 'adopts' | 'looks' | 'there' | 'skipped';

export interface RestoreOptions {
  readonly taskQueue: string;
  /** When the backup was made. ISO 8601. */
  readonly backedUpAt: string;
  /** Starts nothing. */
  readonly dryRun?: boolean | undefined;
}

/**
 * In the order in which they are started: the parts of a customer before it, which then waits for them instead of starting
 * them anew. Its merchant is among them also when it had not begun, because it may have since.
 */
export function inOrder(entries: readonly BackedUp[]): BackedUp[] {
  const known = new Set(entries.map(({ workflowId }) => workflowId));
  const unbegun = entries.flatMap((entry): BackedUp[] => {
    if (entry.type !== 'customerOnboarding' || isEndedBySomebody(entry)) return [];
    const { key, account } = partsOfId(entry.workflowId) ?? { key: entry.workflowId, account: undefined };
    const workflowId = partId('boarding', key, account);
    if (known.has(workflowId)) return [];
    const { boarding } = entry.input as CustomerOnboardingInput;
    const { startedAt } = entry;
    const input = { externalId: key, ...boarding };
    return [{ workflowId, type: 'merchantBoarding', status: 'running', startedAt, input }];
  });
  const isCustomer = ({ type }: BackedUp) => type === 'customerOnboarding';
  return [...entries.filter((entry) => !isCustomer(entry)), ...unbegun, ...entries.filter(isCustomer)];
}

/** Starts an onboarding again. Nothing is written at a partner by it: what it had there is adopted. */
export async function restore(
  client: Client,
  entry: BackedUp,
  { taskQueue, backedUpAt, dryRun = false }: RestoreOptions,
): Promise<Restoring> {
  const { workflowId, type } = entry;
  if (isEndedBySomebody(entry)) return 'skipped';
  const account = partsOfId(workflowId)?.account;
  const { args, summary, agent, isKnown } = startOf(entry, { backedUpAt });
  const restoring = isKnown ? 'adopts' : 'looks';
  if (dryRun) return restoring;
  try {
    await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args,
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      priority: priorityOf('batch', agent, account),
      ...newcomer(summary, account),
    });
    return restoring;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'there';
    throw error;
  }
}

/** Only one that ran, or ended by the word of a partner, is gone on with. */
function isEndedBySomebody({ status, stage }: BackedUp): boolean {
  return (status !== 'running' && status !== 'completed') || isGivenUp(stage);
}

/** Whether an operator has ended it, or is just ending it. */
export function isGivenUp(stage: string | undefined): boolean {
  return stage === 'abandoned' || stage === 'cancelled';
}

interface RestoredStart {
  readonly args: unknown[];
  readonly summary: string;
  readonly agent?: Parameters<typeof priorityOf>[1];
  /** What it has at its partner is known. */
  readonly isKnown: boolean;
}

function startOf(
  { type, input, merchantProfileId, bankingProfileId }: BackedUp,
  restored: Restored,
): RestoredStart {
  switch (type) {
    case 'merchantBoarding': {
      const boarding = input as MerchantBoardingInput;
      const known = merchantProfileId ?? boarding.merchantProfileId;
      const { dba: summary } = boarding.merchant;
      return known === undefined
        ? { args: [boarding, undefined, restored], summary, agent: boarding, isKnown: false }
        : { args: [{ ...boarding, merchantProfileId: known }], summary, agent: boarding, isKnown: true };
    }
    case 'businessOnboarding': {
      const { holder } = input as BusinessOnboardingInput;
      const isKnown = bankingProfileId !== undefined;
      const adopted = isKnown ? { ...restored, profileId: bankingProfileId } : restored;
      return { args: [input, undefined, adopted], summary: holder.doingBusinessAsName, isKnown };
    }
    case 'customerOnboarding': {
      const { boarding } = input as CustomerOnboardingInput;
      return { args: [input], summary: boarding.merchant.dba, agent: boarding, isKnown: true };
    }
    case 'terminalProvisioning': {
      // It looks at the platform before each write.
      const { name = '' } = (input as TerminalProvisioningInput).provisionTerminal.account;
      return { args: [input], summary: name, isKnown: true };
    }
  }
}
