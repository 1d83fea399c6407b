import { createHash } from 'node:crypto';
import type { Priority } from '@temporalio/common';
import type { MerchantBoardingInput } from '../messages/merchant-boarding-input.js';

/** Who waits for an onboarding: a person or a program that asked for this one, or nobody in particular. */
export type Urgency = 'interactive' | 'batch';

/** Of 1 to 5, the lowest first; 3 is what Temporal takes for those that have none. */
const PRIORITY_KEYS: Readonly<Record<Urgency, number>> = { interactive: 3, batch: 4 };

/**
 * The order among tasks that wait, which an onboarding hands on to its activities and child workflows: the urgent ones
 * first, and among equals the agents by turns, so that one's ten thousand rows are in nobody's way.
 *
 * @param agent whose onboarding it is; Temporal shows the key in the clear, so a name is told by its hash
 */
export function priorityOf(
  urgency: Urgency,
  agent: Pick<MerchantBoardingInput, 'agentProfileId' | 'agent'> = {},
  account?: string,
): Priority {
  // Agents of two accounts may have the same id.
  const fairnessKey = [account, fairnessKeyOf(agent)].filter((key) => key !== undefined).join('-');
  return { priorityKey: PRIORITY_KEYS[urgency], ...(fairnessKey !== '' && { fairnessKey }) };
}

function fairnessKeyOf({ agentProfileId, agent }: Parameters<typeof priorityOf>[1] & object) {
  if (agentProfileId !== undefined) return `agent-${agentProfileId}`;
  if (agent === undefined) return undefined;
  return `agent-${createHash('sha256').update(agent).digest('hex').slice(0, 16)}`;
}
