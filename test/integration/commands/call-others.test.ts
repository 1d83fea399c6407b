import { SYSTEM_NAMES } from '../../../src/partners/systems.js';
import { callEverything } from '../../rigs/commands/call-everything.js';

/** The systems with the most operations have files of their own, which run beside this one. */
const ELSEWHERE = ['banking', 'payments'];

for (const system of SYSTEM_NAMES) if (!ELSEWHERE.includes(system)) callEverything(system);
