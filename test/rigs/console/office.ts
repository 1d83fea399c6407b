import type { Rig } from '../rig.js';
import { sharedRig } from '../shared-rig.js';

/**
 * The rig of all test files that look at the console in a browser. It has a namespace of its own, because lists show all of one. Most
 * of what these files start waits until the file ends, so it polls seldom.
 */
export const office = (): Promise<Rig> =>
  sharedRig({ ownNamespace: true, poll: { minMs: 50, maxMs: 2_000 }, fourEyes: ['ticket'] });
