import { describe, expect, it } from 'vitest';
import { castOf, type Party } from '../../../simulation/cast.js';
import { auditOf } from '../../../simulation/ledger.js';
import type { LedgerEntry } from '../../../src/apps/sandbox/ledger.js';
import { markers } from '../../rigs/privacy/markers.js';

const cast = castOf(1, 120, markers());

function partyOf(kind: string, scenario: string): Party {
  const result = cast.find((one) => one.kind === kind && one.scenario === scenario && !hasFees(one));
  if (!result) throw new Error(`nobody plays ${scenario}`);
  return result;
}

function hasFees({ input }: Party): boolean {
  return JSON.stringify(input).match(/"fees"|"v1"/) !== null;
}

const party = partyOf('customer', 'notes + tickets');
const guid = party.externalId;

type Effect = Omit<LedgerEntry, 'seq' | 'at'>;

/** All writes of the scenario, each once. */
const EFFECTS: readonly Effect[] = [
  { system: 'boarding', operation: 'create-merchant', id: 1001, guid },
  { system: 'boarding', operation: 'submit-merchant', id: 1001, guid },
  { system: 'boarding', operation: 'upload-attachment', id: 1001, guid, name: 'note-1.txt' },
  { system: 'boarding', operation: 'request-underwriting-review', id: 1001, guid },
  {
    system: 'banking',
    operation: 'submit-business-account-holder',
    id: 3001,
    name: party.businessName,
    of: party.legalName,
  },
  { system: 'banking', operation: 'update-business-account-holder', id: 3001 },
  { system: 'banking', operation: 'create-ticket', id: 9003, of: 9001 },
];

const TICKETS = [{ ticketId: 9001, userProfileId: 13_001 }];

function audit(effects: readonly Effect[], isUnderWay = false) {
  const at = '2026-01-01T00:00:00.000Z';
  const ledger = effects.map((effect, index) => ({ ...effect, seq: index + 1, at }));
  const { wrong, unowned } = auditOf({ ledger, tickets: TICKETS }, [party], () => isUnderWay);
  return [...(wrong.get(party) ?? []), ...unowned];
}

/** A write that may take effect again, because it changes nothing then. */
const REPEATABLE = 'update-business-account-holder';

describe('the audit of the ledger', () => {
  it('finds nothing when each write took effect once', () => {
    expect(audit(EFFECTS)).toEqual([]);
  });

  it.each(
    EFFECTS.filter(({ operation }) => operation !== REPEATABLE).map((effect) => [effect.operation, effect]),
  )('finds a doubled %s', (operation, effect) => {
    expect(audit([...EFFECTS, effect])).toEqual([`${operation} took effect 2 times, not 1`]);
    expect(audit([...EFFECTS, effect], true)).toHaveLength(1);
  });

  it.each(EFFECTS.map((effect) => [effect.operation, effect]))('finds a missing %s', (operation, effect) => {
    const matches = audit(EFFECTS.filter((one) => one !== effect));
    expect(matches[0]).toMatch(new RegExp(`^${operation} took effect 0 times, not `));
  });

  it('accepts a missing write of a running onboarding, and a correction that was sent twice', () => {
    expect(audit(EFFECTS.slice(0, 2), true)).toEqual([]);
    expect(audit([...EFFECTS, { system: 'banking', operation: REPEATABLE, id: 3001 }])).toEqual([]);
  });

  const WRITE = { system: 'any', id: 1002 };
  const HOLDER = { ...WRITE, operation: 'submit-business-account-holder' };
  it.each([
    ['a merchant under another key', { ...WRITE, operation: 'create-merchant', guid: 'other' }],
    ['a profile of another name', { ...HOLDER, name: 'x' }],
    ['a profile of a business of the same name', { ...HOLDER, name: party.businessName, of: 'Another LLC' }],
    ['a reply to another ticket', { ...WRITE, operation: 'create-ticket', of: 9002 }],
  ])('finds %s, which belongs to no party', (_, effect) => {
    expect(audit([...EFFECTS, effect])).toEqual([
      `entry 8, ${effect.operation} ${effect.id}, belongs to no party`,
    ]);
  });

  it('finds a write that the scenario does not have', () => {
    const effect = { system: 'banking', operation: 'submit-business-customer', id: 3001 };
    expect(audit([...EFFECTS, effect])).toEqual(['submit-business-customer took effect 1 times, not 0']);
  });
});
