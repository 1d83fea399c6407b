import { APPLICATION_NUMBERS } from '../src/apps/sandbox/habits/identity.js';
import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import type { Party } from './cast.js';
import type { Plan } from './plan.js';
import type { Scene } from './scene.js';
import type { Witness } from './writes.js';

/** Within this time of another create, nothing shows that a merchant in a response was there before (src/activities/reservations.ts), in milliseconds. */
const AT_ONCE_MS = 2 * 60_000;

const CREATE = /^create-merchant/;

/**
 * Customers whose merchants nobody can tell apart: a partner that makes one record of two creates has responded to both with the
 * same number, before either of them could reserve it. Whoever reserves it first has it, and a person is asked about the other.
 */
export function indistinct(
  { cast, partners, network }: Pick<Scene, 'cast' | 'partners' | 'network'>,
  witnesses: readonly Witness[],
): ReadonlySet<Party> {
  const askedAt = (party: Pick<Party, 'externalId'>) =>
    network.left.findLast(
      ({ path, text }) => /merchant\/create/.test(path) && text.includes(party.externalId),
    )?.at ?? 0;
  const pairs = witnesses.flatMap(({ party, state }) => {
    const record = partners.ledger.find(
      ({ operation, id }) => CREATE.test(operation) && id === state.merchantProfileId,
    );
    const owner = cast.find(({ externalId }) => externalId === record?.guid);
    const isOthers = owner !== undefined && owner.externalId !== party.externalId;
    const isBelieved = state.timeline.some(({ event }) => event === 'merchant-created');
    const isAtOnce = Math.abs(askedAt(party) - Date.parse(record?.at ?? '')) < AT_ONCE_MS;
    // The date of its status is that of the read.
    const isDateless = owner?.parts.boarding?.scenario === 'volatile-date';
    return isOthers && isBelieved && (isAtOnce || isDateless) ? [party as Party, owner] : [];
  });
  return new Set(pairs);
}

/** The ledger, with each create also under the number with which a partner that counts twice has responded to it. */
export function asNumbered(ledger: readonly LedgerEntry[], { habits }: Plan): readonly LedgerEntry[] {
  if (!habits.includes('numbers-of-v1')) return ledger;
  const isOfV1 = ({ operation }: LedgerEntry) => operation === 'create-merchant-v1';
  const others = ledger
    .filter(isOfV1)
    .map((entry) => ({ ...entry, id: Number(entry.id) + APPLICATION_NUMBERS }));
  return [...ledger, ...others];
}
