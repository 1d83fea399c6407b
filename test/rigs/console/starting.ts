import { createRig, type Rig } from '../rig.js';
import { type RunningConsole, runConsole, type SignedIn } from './running-console.js';

export interface StartingRig {
  readonly rig: Rig;
  readonly console: RunningConsole;
  /** May start something in every account. */
  readonly admin: SignedIn;
}

/** A console at which people start onboardings. No worker runs, so that these stay as they are. */
export async function startingRig(): Promise<StartingRig> {
  const rig = await createRig({ worker: false });
  const env = { GANGWAY_ACCOUNTS: 'east,west', OIDC_ACCOUNTS_CLAIM: 'accounts' };
  const console = await runConsole(rig, { env }, rig.atClose);
  const admin = await console.signedIn({ role: 'admin', accounts: ['default', 'east', 'west'] });
  return { rig, console, admin };
}
