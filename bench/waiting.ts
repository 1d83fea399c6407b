import pLimit from 'p-limit';
import { nudge } from '../src/temporal/nudge.js';
import { merchant } from '../test/rigs/inputs.js';
import type { Onboarding } from '../test/rigs/onboarding.js';
import type { Rig } from '../test/rigs/rig.js';
import { eventually } from '../test/rigs/waiting.js';

/** A worker with these settings reads a status again only after a nudge. */
export const RARE_POLLS = { GANGWAY_POLL_MIN: '1h', GANGWAY_POLL_MAX: '1h' };

const AT_ONCE = 32;

/** Many boardings at a time make each of them slow. */
const TIMEOUT_MS = 300_000;

const limit = pLimit(AT_ONCE);

/** A boarding that waits for the underwriters. */
export interface Waiting {
  readonly boarding: Onboarding;
  readonly merchantProfileId: number;
}

/** Starts boardings, until each of them has read its status once and waits. */
export function startWaiting({ board }: Rig, count: number): Promise<Waiting[]> {
  const one = async () => {
    const boarding = await board(merchant('waiting'));
    await eventually(
      () => boarding.reads(),
      (reads) => reads > 0,
      'a read',
      TIMEOUT_MS,
    );
    const { merchantProfileId = 0 } = await boarding.state();
    return { boarding, merchantProfileId };
  };
  return Promise.all(Array.from({ length: count }, () => limit(one)));
}

/** Has the partner decline them, which no boarding reads before a nudge. */
export async function decline({ sandbox }: Rig, waiting: readonly Waiting[]): Promise<void> {
  const decided = ({ merchantProfileId }: Waiting) =>
    sandbox.transition(merchantProfileId, { status: 'Declined' });
  await Promise.all(waiting.map((one) => limit(() => decided(one))));
}

/** Nudges them and waits until all have ended. */
export async function nudgeToEnd({ client }: Rig, waiting: readonly Waiting[]): Promise<void> {
  const nudged = async ({ boarding }: Waiting) => {
    await nudge(client, boarding.workflowId);
    await boarding.outcome();
  };
  await Promise.all(waiting.map((one) => limit(() => nudged(one))));
}
