import type { Unfinished } from './onboarding-state.js';

/** How the provisioning of a merchant's terminal ends. Outcomes are data, not failures. */
export type TerminalProvisioningOutcome = Unfinished &
  (
    | { readonly outcome: 'provisioned'; readonly accountId: string; readonly terminalId: string }
    /** An operator gave up. `accountId` is there when the payments platform has the account. */
    | { readonly outcome: 'abandoned'; readonly comment: string | null; readonly accountId?: string }
  );

/** What a correction may change of a `TerminalProvisioningInput`. */
export const CORRECTABLE_TERMINAL_MEMBERS = ['provisionTerminal'] as const;
