import type { TerminalProvisioningInput } from './terminal-provisioning-input.js';

/** What is to be made; a correction may have made anything of it, and the activity says what is wrong. */
type Asked = Pick<TerminalProvisioningInput, 'provisionTerminal'>;

/**
 * What the worker does at the payments platform. A failed call arrives as an `ApplicationFailure` of type `PartnerError`
 * with `PartnerErrorDetails` as its only detail; of a write, its fields are those of the input.
 */
export interface PaymentsActivities {
  /** Ids of the accounts that were made for this merchant. Reads only. */
  findAccounts(request: { mid: string }): Promise<readonly string[]>;
  /** Sent at most once. The API key that the platform makes beside the account is dropped. */
  createAccount(request: Asked & { mid: string }): Promise<{ accountId: string }>;
  /** Ids of the terminals of an account that have exactly this name. Reads only. */
  findTerminals(request: { accountId: string; name: string }): Promise<readonly string[]>;
  /** Sent at most once. */
  createTerminal(request: Asked & { accountId: string }): Promise<{ terminalId: string }>;
}
