import type { ProfilePhase } from './phases.js';

/** Stands for the status of a profile that tells none. */
export const UNKNOWN = 'Unknown';

/**
 * The partner's names in `bankingStatus` that mean something to us (apis/1, Banking profile record). The contract lists twelve
 * and no transitions between them; every other name is kept, shown and waited out. No other file decides by a name.
 */
const PHASES: ReadonlyMap<string, ProfilePhase> = new Map([
  ['New', 'new'],
  ['Approved', 'approved'],
  ['ApprovedUW', 'approved'],
  ['AutoApprovedUW', 'approved'],
  ['Denied', 'declined'],
  ['Closed', 'closed'],
  ['Cancelled', 'withdrawn'],
]);

/** What a `bankingStatus` means. */
export function phaseOf(bankingStatus: string): ProfilePhase {
  return PHASES.get(bankingStatus) ?? 'under-review';
}
