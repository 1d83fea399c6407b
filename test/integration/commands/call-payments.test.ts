import { callEverything } from '../../rigs/commands/call-everything.js';
import { PAYMENTS_CALLS } from '../../rigs/partners/calls/payments.js';

callEverything('payments', PAYMENTS_CALLS);
