import { describe, expect, it } from 'vitest';
import { contradicted, type Evidence, type Witness } from '../../../simulation/writes.js';
import type { LedgerEntry } from '../../../src/apps/sandbox/ledger.js';
import type { TimelineEvent } from '../../../src/messages/codes.js';
import type { OnboardingState, TimelineEntry } from '../../../src/messages/onboarding-state.js';

const ANSWER = 'By hand, a tenth.';
const NOTE = 'note-0123456789ab';
const OTHER_NOTE = 'note-ba9876543210';
const AT = '2026-01-01T00:00:00.000Z';

/** `submitted` or `merchant-created: merchant 1001`, in order. */
function timeline(...events: string[]): TimelineEntry[] {
  return events.map((line) => {
    const [, event = '', detail] = /^([a-z-]+)(?:: (.+))?$/.exec(line) ?? [];
    return { at: AT, event: event as TimelineEvent, ...(detail !== undefined && { detail }) };
  });
}

function witness(events: readonly string[], facts: Partial<OnboardingState> = {}, name = 'c-1'): Witness {
  const party = { externalId: name, businessName: 'Corner Bakery', legalName: 'Baker LLC' };
  const nothing = { stage: 'underwriting', partnerStatus: null, requirements: [] } as const;
  const state = { ...nothing, ...facts, timeline: timeline(...events) };
  return { party, workflowId: `w-${name}`, state };
}

type Effect = Omit<LedgerEntry, 'seq' | 'at' | 'system'>;

function evidence(effects: readonly Effect[], more: Partial<Evidence> = {}): Evidence {
  const ledger = effects.map((effect, index) => ({ ...effect, system: 'any', seq: index + 1, at: AT }));
  return { ledger, comments: new Map(), accounts: new Map(), noteAnswer: ANSWER, ...more };
}

const MERCHANT = { merchantProfileId: 1001 };
const PROFILE = { profileId: 3001 };

const MERCHANT_CREATED = { operation: 'create-merchant', id: 1001, guid: 'c-1' };
const SUBMITTED = {
  operation: 'submit-business-account-holder',
  id: 3001,
  name: 'Corner Bakery',
  of: 'Baker LLC',
};

/** A step that is believed, what is known with it, and the write that it takes. */
const STEPS: readonly (readonly [step: string, facts: Partial<OnboardingState>, effect: Effect])[] = [
  ['merchant-created: merchant 1001', MERCHANT, { ...MERCHANT_CREATED, operation: 'create-merchant-v1' }],
  ['merchant-imported: merchant 1001', MERCHANT, MERCHANT_CREATED],
  ['fees-changed', MERCHANT, { operation: 'update-fees', id: 1001 }],
  ['submitted', MERCHANT, { operation: 'submit-merchant', id: 1001 }],
  ['answers-delivered', MERCHANT, { operation: 'request-underwriting-review', id: 1001 }],
  ['holder-submitted: banking profile 3001', PROFILE, SUBMITTED],
  ['profile-imported: banking profile 3001', PROFILE, SUBMITTED],
  ['holder-corrected', PROFILE, { operation: 'update-business-account-holder', id: 3001 }],
];

describe('a step that counts as done', () => {
  it.each(STEPS)(
    'is right with its write, wrong without it or with one for another record: %s',
    (step, facts, effect) => {
      const [event = ''] = step.split(':');
      expect(contradicted([witness([step], facts)], evidence([effect]))).toEqual([]);
      expect(contradicted([witness([step], facts)], evidence([]))).toEqual([
        expect.stringMatching(new RegExp(`^w-c-1: ${event} 1 times, .* 0 times$`)),
      ]);
      const fields = Object.keys(effect).filter((field) => field !== 'operation');
      for (const field of fields) {
        const others = evidence([{ ...effect, [field]: 'another' }]);
        expect(contradicted([witness([step], facts)], others), field).toHaveLength(1);
      }
    },
  );

  it('is not a step that has not ended yet', () => {
    const start = witness(['started', 'write-uncertain: submit'], MERCHANT);
    expect(contradicted([start], evidence([]))).toEqual([]);
  });
});

describe('a ticket that counts as answered', () => {
  const replied = { operation: 'create-ticket', id: 9002, of: 9001 };
  const once = ['requirement-resolved: ticket-9001: text', 'ticket-answered: ticket-9001'];
  const again = ['requirement-resolved: ticket-9001-2: text', 'ticket-answered: ticket-9001-2'];

  it('has a reply after each text', () => {
    expect(contradicted([witness(once)], evidence([replied]))).toEqual([]);
    expect(contradicted([witness(once)], evidence([]))).toHaveLength(1);
    expect(contradicted([witness([...once, ...again])], evidence([replied]))).toHaveLength(1);
    expect(contradicted([witness([...once, ...again])], evidence([replied, replied]))).toEqual([]);
  });
});

describe('answers to notes that count as delivered', () => {
  const review = { operation: 'request-underwriting-review', id: 1001 };
  const delivered = (...events: string[]) => [witness([...events, 'answers-delivered'], MERCHANT)];
  const said = (...comments: string[]) => ({ comments: new Map([[1001, comments]]) });
  const twoTexts = [`requirement-resolved: ${NOTE}: text`, `requirement-resolved: ${OTHER_NOTE}: text`];

  it('all reached the underwriters', () => {
    const both = evidence([review], said(`One?\n${ANSWER}\n\nTwo?\n${ANSWER}`));
    expect(contradicted(delivered(...twoTexts), both)).toEqual([]);
    const one = evidence([review], said(`One?\n${ANSWER}`));
    expect(contradicted(delivered(...twoTexts), one)).toEqual([
      'w-c-1: delivered 2 answers, and the underwriters have 1',
    ]);
  });

  it('are uploads if they are documents', () => {
    const events = delivered(`requirement-resolved: ${NOTE}: documents`);
    const upload = { operation: 'upload-attachment', id: 1001, name: `${NOTE}.txt` };
    expect(contradicted(events, evidence([review, upload]))).toEqual([]);
    expect(contradicted(events, evidence([review]))).toEqual([
      `w-c-1: delivered a document for ${NOTE}, and the underwriters do not have it`,
    ]);
  });
});

describe('a record of a partner', () => {
  it('belongs to one customer only', () => {
    const same = [witness([], PROFILE), witness([], PROFILE, 'c-2')];
    expect(contradicted(same, evidence([]))).toEqual(['profile 3001 belongs to c-1 and c-2']);
    const other = [witness([], PROFILE), witness([], { profileId: 3002 }, 'c-2')];
    expect(contradicted([...other, witness([], PROFILE)], evidence([]))).toEqual([]);
  });
});
