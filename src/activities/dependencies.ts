import type { FourEyes } from '../messages/requirements.js';
import type { DocumentStore } from '../partners/documents/document-store.js';
import type { MeaningOf } from '../partners/phases.js';
import type { FileStore } from '../platform/documents/file-store.js';
import type { PollBounds } from './poll.js';

/** What the activities at a partner work with, in one account. */
export interface Dependencies<Client> {
  readonly client: Client;
  /** Name of the account at the partners; undefined for the unnamed account. */
  readonly partnerAccount?: string | undefined;
  readonly documents: DocumentStore;
  /** Takes statements, and other files that partners return. */
  readonly statements: FileStore;
  readonly poll: PollBounds;
  /** Returns what people decided about status names of this partner. */
  readonly meaningOf: MeaningOf;
  /** For the workflow of the account, which a report may start. */
  readonly fourEyes: FourEyes;
}
