import type { FileStore } from '../documents/file-store.js';
import type { BankingActivities } from '../messages/banking-activities.js';
import type { BankingLists } from '../messages/banking-operations.js';
import type { BankingClient } from '../partners/banking/client.js';
import { Candidates } from './banking/candidates.js';
import { holderActivities } from './banking/holder.js';
import { bankingLists } from './banking/lists.js';
import { operationActivities } from './banking/operations.js';
import { OtherTickets } from './banking/other-tickets.js';
import { profileActivities } from './banking/profiles.js';
import { statementActivities } from './banking/statements.js';
import { ticketActivities } from './banking/tickets.js';
import type { PollBounds } from './poll-delay.js';

export interface BankingDependencies {
  readonly client: BankingClient;
  readonly statements: FileStore;
  /** Name of our account at the partners; undefined for the one without a name. */
  readonly partnerAccount?: string | undefined;
  readonly poll: PollBounds;
}

/**
 * The banking partner's side of the workflows, and what is listed without one. Each activity is a call or two and their
 * failures, no more.
 */
export function bankingActivities(dependencies: BankingDependencies): BankingActivities & BankingLists {
  const { client, statements, partnerAccount, poll } = dependencies;
  const candidates = new Candidates(client, partnerAccount);
  return {
    ...profileActivities(client, poll, new OtherTickets(partnerAccount)),
    ...holderActivities(client, candidates),
    ...ticketActivities(client, candidates, poll),
    ...operationActivities(client),
    ...statementActivities(client, statements, partnerAccount),
    ...bankingLists(client),
  };
}
