import { BANKING_CALLS } from '../partners/calls/banking.js';
import { callEverything } from './call-everything.js';

callEverything('banking', BANKING_CALLS);
