import { callEverything } from '../../rigs/commands/call-everything.js';

callEverything('banking');
