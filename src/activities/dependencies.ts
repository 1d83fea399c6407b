import type { FourEyes } from '../messages/requirements.js';
import type { DocumentStore } from '../partners/documents/document-store.js';
import type { MeaningOf } from '../partners/phases.js';
import type { FileStore } from '../platform/documents/file-store.js';
import type { PollBounds } from './poll.js';

/** The dependencies of a partner's activities, for one account. */
export interface Dependencies<Client> {
  readonly client: Client;
  /** Name of the account at the partners; undefined for the unnamed account. */
  readonly partnerAccount?: string | undefined;
  readonly documents: DocumentStore;
  /** Stores statements and other files that partners return. */
  readonly statements: FileStore;
  readonly poll: PollBounds;
  /** Returns people's decisions about this partner's status names. */
  readonly meaningOf: MeaningOf;
  /** Passed to the account's workflow, which a report may start. */
  readonly fourEyes: FourEyes;
}
