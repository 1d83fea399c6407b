import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Correctable } from '../../../../src/messages/activities.js';
import { NO_ACCOUNTS } from '../../../../src/messages/inputs.js';
import { ALLOWED_ANSWERS, type Requirement } from '../../../../src/messages/requirements.js';
import { requirementView, viewOfRequirement } from '../../../../src/services/inbox/requirement-view.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { business, merchant } from '../../../rigs/inputs.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const ID = 'merchant-boarding-m-1';
const question = (more: Partial<Requirement> = {}): Requirement => ({
  id: 'r-1',
  kind: 'underwriting-note',
  title: 'A note',
  detail: 'Send a check.',
  raisedAt: NOON,
  dueAt: '2026-02-02T12:00:00.000Z',
  answers: ['text', 'documents', 'abandon'],
  ...more,
});

const BOARDING: Correctable = { type: 'merchantBoarding', input: merchant() };
const BUSINESS: Correctable = { type: 'businessOnboarding', input: business() };

/** Whether a validator of JSON Schema takes an answer. */
function takes(
  requirement: Requirement,
  answer: { readonly kind: string },
  correctable?: Correctable,
): boolean {
  const { answers } = viewOfRequirement(ID, requirement, NO_ACCOUNTS, correctable);
  const { schema = {} } = answers.find(({ kind }) => kind === answer.kind) ?? {};
  return new Ajv2020({ strict: false, validateFormats: false }).validate(schema, answer);
}

const DOCUMENT = { key: 'k.pdf', fileName: 'check.pdf', contentType: 'application/pdf' };
const correction = (patch: object) => ({ kind: 'correction', patch });
const rejected = { kind: 'rejected-input', answers: ['correction', 'confirm', 'retry', 'abandon'] } as const;
const holder = { kind: 'not-submitted', answers: ['correction', 'abandon'] } as const;

// Alone catches a schema that tells a program another rule than the workflow has.
it.each<[Partial<Requirement>, { readonly kind: string }, taken: boolean, Correctable?]>([
  [{}, { kind: 'text', text: 'Here.' } as never, true],
  [{}, { kind: 'text', text: ' ' } as never, false],
  [{}, { kind: 'text', text: 'Here.', more: 1 } as never, false],
  [{}, { kind: 'documents', documents: [DOCUMENT] } as never, true],
  [{}, { kind: 'documents', documents: [] } as never, false],
  [{ kind: 'uncertain-write', answers: ['confirm'] }, { kind: 'confirm', id: '1012' } as never, true],
  [{ kind: 'uncertain-write', answers: ['confirm'] }, { kind: 'confirm', id: 'fa-1' } as never, false],
  [
    { kind: 'unclear-mid', answers: ['confirm'], idFormat: 'text' },
    { kind: 'confirm', id: 'fa-1' } as never,
    true,
  ],
  [{ kind: 'one-time-code', answers: ['code'] }, { kind: 'code', code: '123456' } as never, true],
  [{ kind: 'one-time-code', answers: ['code'] }, { kind: 'code', code: '12' } as never, false],
  [
    { kind: 'new-status', answers: ['choice'], choices: ['approved'] },
    { kind: 'choice', choice: 'approved' } as never,
    true,
  ],
  [
    { kind: 'new-status', answers: ['choice'], choices: ['approved'] },
    { kind: 'choice', choice: 'no' } as never,
    false,
  ],
  [rejected, correction({ merchant: { dba: 'Corner Bakery' } }), true, BOARDING],
  [rejected, correction({ merchant: { firstName: null }, application: { volume: 240_000 } }), true, BOARDING],
  [rejected, correction({ agentProfileId: 102 }), true, BOARDING],
  [rejected, correction({}), false, BOARDING],
  [rejected, correction({ dueInHours: 1 }), false, BOARDING],
  [rejected, correction({ fourEyes: [] }), false, BOARDING],
  [rejected, correction({ merchant: { color: 'red' } }), false, BOARDING],
  [rejected, correction({ agentProfileId: 'x' }), false, BOARDING],
  [holder, correction({ holder: { website: 'https://example.com' } }), true, BUSINESS],
  [holder, correction({ holder: { website: 7 } }), false, BUSINESS],
  [holder, correction({ beneficialOwners: [{}] }), false, BUSINESS],
  [holder, correction({ beneficialOwners: null }), true, BUSINESS],
])('the schema of an answer to %j takes %j: %j', (more, answer, taken, correctable) => {
  expect(takes(question(more), answer, correctable)).toBe(taken);
});

it('a field that only the partner knows may be added', () => {
  const correctable = { ...BOARDING, fields: ['merchant.color'] };
  expect(takes(question(rejected), correction({ merchant: { color: 'red' } }), correctable)).toBe(true);
});

describe('the view of a requirement', () => {
  it('has what its kind shows, and which answers need two people', () => {
    const until = '2026-01-31T13:00:00.000Z';
    const proposal = { actor: 'Ada Park', at: NOON, reason: 'called', answer: 'text: Here.' };
    const requirement = question({
      kind: 'new-status',
      answers: ['choice'],
      fourEyes: ['choice'],
      choices: ['approved'],
      claim: { actor: 'crm (API), for Ada Park', until },
      proposal,
    });
    const view = viewOfRequirement(ID, requirement, NO_ACCOUNTS);
    expect(requirementView.parse(view)).toEqual({
      id: 'r-1',
      workflowId: ID,
      kind: 'new-status',
      task: 'explain status',
      title: 'A note',
      detail: 'Send a check.',
      raisedAt: NOON,
      dueAt: '2026-02-02T12:00:00.000Z',
      overdue: false,
      claim: { actor: 'crm (API), for Ada Park', until },
      proposal,
      choices: ['approved'],
      answers: [{ kind: 'choice', fourEyes: true, schema: expect.objectContaining({ type: 'object' }) }],
    });
  });

  it('shows no claim that has ended', () => {
    const claim = { actor: 'olga', until: NOON };
    expect(viewOfRequirement(ID, question({ claim }), NO_ACCOUNTS)).not.toHaveProperty('claim');
  });

  // Alone catches a type that generators of clients drop.
  it('has a type for each kind, and none that contains itself', () => {
    const {
      oneOf = [],
      anyOf = oneOf,
      ...rest
    } = JSON.parse(JSON.stringify(z.toJSONSchema(requirementView)));
    expect(anyOf).toHaveLength(Object.keys(ALLOWED_ANSWERS).length);
    expect(JSON.stringify([anyOf, rest])).not.toContain('$ref');
  });
});
