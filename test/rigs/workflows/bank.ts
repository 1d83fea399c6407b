import type { BusinessOnboardingInput } from '../../../src/messages/inputs.js';
import type {
  OperationName,
  OperationOutcome,
  OperationRequest,
} from '../../../src/messages/partner-operations.js';
import { bankingClient } from '../../../src/partners/banking/client.js';
import { byHand } from '../../../src/partners/by-hand.js';
import { startOperation } from '../../../src/temporal/start.js';
import { Onboarding } from '../onboarding.js';
import type { Rig } from '../rig.js';

type Holder = BusinessOnboardingInput['holder'];

/** The banking partner, for callers other than Gangway, until the rig closes. */
export function bankOf({ client: temporal, sandbox, taskQueue, atClose }: Rig) {
  const credentials = { username: 'sandbox', password: 'sandbox', deviceToken: 'd-2', deviceName: 'test' };
  const client = byHand(bankingClient({ url: sandbox.url, ...credentials, form: 'user' }));
  atClose(() => client.close());

  /** Starts the workflow of a single operation. */
  async function operate<Name extends OperationName>(
    operation: Name,
    key: string,
    request: OperationRequest<Name>,
  ) {
    const { workflowId } = await startOperation(
      temporal,
      { operation, key, request },
      { fourEyes: [], taskQueue },
    );
    return new Onboarding<OperationOutcome>(temporal, workflowId);
  }

  /** Issues a card; default: a virtual one. */
  async function card(type = 2) {
    const { paymentCardId, last4 } = await client.createCard({ financialAccountId: 'fa-501-1', type });
    return { paymentCardId, last4: last4 ?? '' };
  }

  return {
    client,
    operate,
    card,

    /** Starts the closing of a card that waits for a person, because nobody knows whether its request arrived. */
    async closingInWarning() {
      const closed = await card();
      await sandbox.plan('drop-before-commit', 'close-card');
      const closing = await operate('close-card', closed.paymentCardId, closed);
      await closing.requirement('uncertain-write');
      return closing;
    },

    /** Submits a business without Gangway. @returns its profile ID */
    async submit(holder: Holder): Promise<number> {
      const { profileId } = await client.submitBusinessAccountHolder(holder);
      return profileId ?? 0;
    },

    /** The profiles of the submissions under this name, by the ledger. */
    async submissions({ doingBusinessAsName }: Holder): Promise<number[]> {
      const entries = await sandbox.ledger({ operation: 'submit-business-account-holder' });
      const profiles = await Promise.all(entries.map(({ id }) => sandbox.profile(Number(id))));
      const named = profiles.filter(({ businessAccountHolder: holder }) => {
        return (holder as Holder).doingBusinessAsName === doingBusinessAsName;
      });
      return named.map(({ id }) => Number(id));
    },

    /** Names of the writes that took effect on a record with this ID, such as a profile or a card, in order. */
    async writesTo(id: number | string): Promise<string[]> {
      return (await sandbox.ledger({ id: String(id) })).map(({ operation }) => operation);
    },

    /** The texts of the replies to the ticket of a requirement. */
    async repliesTo(requirementId: string): Promise<(string | null)[]> {
      const ticketId = Number(requirementId.replace('ticket-', ''));
      const replies = (await client.listTickets({})).filter(
        ({ parentTicketId }) => parentTicketId === ticketId,
      );
      return replies.map(({ text }) => text);
    },
  };
}
