import type { PaymentsOperations } from '../../partners/payments/operations.js';
import { invalid, Refusal } from '../refusal.js';
import type { Handlers } from '../routes.js';
import type { Accounts } from './accounts.js';
import type { KeyHolder } from './api-keys.js';
import { Owned } from './owned.js';
import type { Payments } from './payments.js';
import type { Recorder } from './service.js';

const OPEN = 'open';
const CLOSED = 'closed';

interface Batch {
  readonly id: string;
  status: typeof OPEN | typeof CLOSED;
  account_id: string;
  settled: number;
  [member: string]: unknown;
}

type BatchHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  'openBatch' | 'closeBatch' | 'updateBatch'
>;

/** Settlement batches, no more than one open for each account. Closing one settles what was captured on its account. */
export class Batches {
  readonly #batches = new Owned<Batch>('batch');

  constructor(
    private readonly accounts: Accounts,
    private readonly payments: Payments,
    private readonly record: Recorder,
  ) {}

  readonly handlers: BatchHandlers = {
    openBatch: (members, owner) => {
      this.accounts.check(members.account_id, owner);
      const isOpen = ({ account_id, status }: Batch) => account_id === members.account_id && status === OPEN;
      if (this.#batches.of(owner).some(isOpen)) throw invalid('account_id', 'has an open batch');
      const batch = this.#batches.add(owner, (id) => ({ ...members, id, status: OPEN, settled: 0 }));
      this.record('openBatch', batch.id);
      return batch;
    },
    closeBatch: ({ batch_id }, owner) => {
      const batch = this.#batches.get(batch_id, owner);
      if (batch.status === CLOSED) return batch;
      batch.status = CLOSED;
      batch.settled = this.payments.settle(batch.account_id, owner);
      this.record('closeBatch', batch.id);
      return batch;
    },
    updateBatch: ({ batch_id, ...members }, owner) => {
      const batch = this.#batches.get(batch_id, owner);
      if (batch.status === CLOSED) throw new Refusal(400, 'The batch is closed');
      this.accounts.check(members.account_id, owner);
      Object.assign(batch, members, { id: batch.id, status: OPEN });
      this.record('updateBatch', batch.id);
      return batch;
    },
  };
}
