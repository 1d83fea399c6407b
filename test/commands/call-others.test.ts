import { BOARDING_CALLS } from '../partners/calls/boarding.js';
import { PLANT_STORE_CALLS, PROCESSOR_CALLS } from '../partners/calls/plants-and-processor.js';
import { callEverything } from './call-everything.js';

callEverything('boarding', BOARDING_CALLS);
callEverything('plant-store', PLANT_STORE_CALLS);
callEverything('processor', PROCESSOR_CALLS);
