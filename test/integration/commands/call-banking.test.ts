import { callEverything } from '../../rigs/commands/call-everything.js';
import { BANKING_CALLS } from '../../rigs/partners/calls/banking.js';

callEverything('banking', BANKING_CALLS);
