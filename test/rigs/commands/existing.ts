import { randomUUID } from 'node:crypto';
import { type BoardingClient, boardingClient } from '../../../src/partners/boarding/client.js';
import { type ByHand, byHand } from '../../../src/partners/by-hand.js';
import { holder } from '../inputs.js';
import type { Rig } from '../rig.js';
import { bankOf } from '../workflows/bank.js';

/** What the boarding partner and the bank have, although Gangway never created it. */
export function existing(rig: Rig, user = 'sandbox') {
  const { url } = rig.sandbox;
  const client: ByHand<BoardingClient> = byHand(boardingClient({ url, username: user, password: user }));
  rig.atClose(() => client.close());
  const bank = bankOf(rig);

  return {
    /** A merchant in a status. Default scenario: one that stays there. */
    async merchant(
      change: Record<string, unknown> = {},
      dba = `Bakery ${randomUUID().slice(0, 8)}`,
      scenario = 'waiting',
    ) {
      const agentProfileId = user === 'sandbox' ? 101 : 201;
      const basics = { firstName: 'Ada', lastName: 'Baker', cashDiscount: 'No', pos: 'None' } as const;
      const created = await client.createMerchant({ ...basics, dba: `${dba} [${scenario}]`, agentProfileId });
      const { merchantProfileId } = created;
      await rig.sandbox.transition(merchantProfileId, change);
      return { merchantProfileId, dba };
    },

    /** A banking profile in a status, with the row that confirms it. */
    async profile(
      change: Record<string, unknown> = {},
      dba = `Bakery ${randomUUID().slice(0, 8)}`,
      scenario = 'waiting',
    ) {
      const own = holder(undefined, { doingBusinessAsName: `${dba} [${scenario}]` });
      const profileId = await bank.submit(own);
      await rig.sandbox.transitionProfile(profileId, change);
      const { legalBusinessName, employerIdentificationNumber, doingBusinessAsName } = own;
      return {
        holder: own,
        row: { dba: doingBusinessAsName, profileId, legalBusinessName, employerIdentificationNumber },
        profileId,
      };
    },
  };
}

let count = 0;

/** A row of a file for `gangway import`. */
export function imported<Row extends object>(row: Row): Row & { readonly externalId: string } {
  count += 1;
  return { externalId: `a-${randomUUID().slice(0, 8)}-${count}`, ...row };
}
