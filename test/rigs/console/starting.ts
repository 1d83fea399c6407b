import { createRig } from '../rig.js';
import { runConsole } from './running-console.js';

/** A console at which people start onboardings, and an admin of every account. No worker runs, so that these stay as they are. */
export async function startingRig() {
  const rig = await createRig({ worker: false });
  const env = { GANGWAY_ACCOUNTS: 'east,west', OIDC_ACCOUNTS_CLAIM: 'accounts' };
  const console = await runConsole(rig, { env }, rig.atClose);
  const admin = await console.signedIn({ role: 'admin', accounts: ['default', 'east', 'west'] });
  return { rig, console, admin };
}
