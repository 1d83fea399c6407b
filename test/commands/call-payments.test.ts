import { PAYMENTS_CALLS } from '../partners/calls/payments.js';
import { callEverything } from './call-everything.js';

callEverything('payments', PAYMENTS_CALLS);
