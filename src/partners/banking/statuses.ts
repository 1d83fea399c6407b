import type { ProfilePhase } from './phases.js';

/** The status of a profile without status. */
export const UNKNOWN = 'Unknown';

/**
 * The names in `bankingStatus` that Gangway acts on (apis/1, Banking profile record). The contract lists twelve and no
 * transitions between them. Every other name is kept and shown, and the workflow waits for the next. No other file
 * depends on a name.
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
