import { callEverything } from '../../rigs/commands/call-everything.js';
import { BOARDING_CALLS } from '../../rigs/partners/calls/boarding.js';
import { PLANT_STORE_CALLS, PROCESSOR_CALLS } from '../../rigs/partners/calls/plants-and-processor.js';

callEverything('boarding', BOARDING_CALLS);
callEverything('plant-store', PLANT_STORE_CALLS);
callEverything('processor', PROCESSOR_CALLS);
