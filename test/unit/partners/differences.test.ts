import { describe, expect, it } from 'vitest';
import { boardingOperations } from '../../../src/partners/boarding/operations.js';
import type { Operation } from '../../../src/partners/catalogue.js';
import type { InspectedResponse } from '../../../src/partners/client.js';
import { catalogue } from '../../../src/partners/descriptors.js';
import { differencesIn } from '../../../src/partners/differences.js';
import { PAYMENTS_OPERATIONS } from '../../../src/partners/payments/operations.js';

const { getStatus, listAgentProfiles, getFees } = boardingOperations();
const { listCards, getProfile, generateFullStatement } = catalogue().banking as Record<string, Operation>;

function found(
  operation: Operation | undefined,
  payload: unknown,
  more: Partial<InspectedResponse> = {},
): string[] {
  if (!operation) throw new Error('no such operation');
  const received = {
    system: 'boarding',
    name: 'test',
    operation,
    status: 200,
    hasEnvelope: true,
    payload,
    failed: false,
  };
  return differencesIn({ ...received, ...more }).map(
    ({ kind, field, expected, got, isNeeded }) =>
      `${kind} ${field || '-'}: ${expected} / ${got}${isNeeded ? ' (needed)' : ''}`,
  );
}

const STATUS = { status: 'Pending', statusDate: '2026-01-05T12:00:00Z', comment: null };

describe('a response is compared with the catalogue', () => {
  it('and conforms without the fields that the partner may leave out, and with null in place of others', () => {
    expect(found(getStatus, STATUS)).toEqual([]);
    expect(found(getStatus, { ...STATUS, mid: '123', statusDate: null })).toEqual([]);
  });

  const DATE = 'statusDate: string or null';
  it.each([
    [{ status: 'Pending', comment: null }, `missing-field ${DATE} / nothing (needed)`],
    [{ ...STATUS, statusDate: 20_260_105 }, `other-type ${DATE} / integer of 8 characters (needed)`],
    [{ ...STATUS, status: null }, 'other-type status: string / null (needed)'],
    [
      { ...STATUS, comment: { a: 1, b: 2 } },
      'other-type comment: string or null / object of 2 fields (needed)',
    ],
    [{ ...STATUS, region: [1, 2] }, 'unknown-field region: nothing / array of 2 items'],
    [{ ...STATUS, status: 'On' }, 'unknown-status status: a known name / string of 2 characters (needed)'],
    [[], 'other-type -: object / array of 0 items (needed)'],
  ])('%j has one difference', (payload, difference) => {
    expect(found(getStatus, payload)).toEqual([difference]);
  });

  it.each([
    'UW Level 7: Pending',
    'UW Level 7: Pending Review',
    'Conditionally Approved',
    'CR:POS Equipment',
    'RequestChanges',
  ])('the status %s has a name that a document has', (status) => {
    expect(found(getStatus, { ...STATUS, status })).toEqual([]);
  });

  it('reports a difference once, however many records have it', () => {
    const records = [{ id: 1, name: 7 }, { id: 2, name: 8 }, { id: 3 }];
    expect(found(listAgentProfiles, records)).toEqual([
      'other-type N.name: string or null / integer of 1 character (needed)',
      'missing-field N.name: string or null / nothing (needed)',
    ]);
  });

  it('by the rules of the catalogue that are more than a type', () => {
    expect(found(listAgentProfiles, [{ id: 2 ** 31, name: null }])).toEqual([
      'other-form N.id: must be at most 2147483647 / another value (needed)',
    ]);
    expect(found(listAgentProfiles, [{ id: 0, name: null }])).toEqual([]);
  });

  it('by the type that the contract prints, where others are read as well', () => {
    expect(found(getStatus, { ...STATUS, mid: 518000000001001 })).toEqual([
      'other-type mid: string or null / integer of 15 characters (needed)',
    ]);
    const card = { totalCount: 1, records: [{ paymentCardId: 7, cardProfileSetId: 8 }] };
    expect(found(listCards, card, BANKING).filter((line) => line.startsWith('other'))).toEqual([
      'other-type records.N.paymentCardId: string or null / integer of 1 character',
      'other-type records.N.cardProfileSetId: string or null / integer of 1 character',
    ]);
  });

  it.each(['01/31/2026', '2026-01-31', '2026-01-31 10:00', '1769853600', ''])(
    'and the date %j is not in the form of the contract',
    (statusDate) => {
      const form = 'other-form statusDate: a date and time (ISO 8601) / string of';
      const [difference, ...others] = found(getStatus, { ...STATUS, statusDate });
      expect([difference?.slice(0, form.length), others]).toEqual([form, []]);
    },
  );

  it.each([
    '2026-01-31T10:00:00Z',
    '2026-01-31T10:00:00.123+01:00',
    '2026-01-31T10:00:00',
    '2026-01-31T10:00Z',
  ])('and the date %s is', (statusDate) => expect(found(getStatus, { ...STATUS, statusDate })).toEqual([]));

  it('with its envelope, which is part of the contract', () => {
    const envelope = { status: 'OK', error: null, warning: null, validationResults: [], requestId: 7 };
    expect(found(getStatus, STATUS, { envelope })).toEqual([]);
    const other = { status: 200, error: null, validationResults: null, requestId: '7', totalCount: 2 };
    expect(found(getStatus, STATUS, { envelope: other })).toEqual([
      'other-type (envelope).status: string / integer of 3 characters',
      'other-type (envelope).validationResults: array / null',
      'other-type (envelope).requestId: integer / string of 1 character',
      'unknown-field (envelope).totalCount: nothing / integer of 1 character',
    ]);
    const ofFees = { requestId: 7, success: true, error: null, validationErrors: [] };
    expect(found(getFees, {}, { envelope: ofFees })).toEqual([]);
    expect(found(getFees, {}, { envelope })).toContain('missing-field (envelope).success: boolean / nothing');
  });

  it('and a list that is only a page is another form', () => {
    expect(found(listAgentProfiles, [{ id: 1, name: 'A' }], { more: 'totalCount' })).toEqual([
      'other-form -: the whole list, and not a page of it (totalCount) / another value (needed)',
    ]);
  });

  it('in the form of a union that the partner sent', () => {
    expect(found(listCards, [])).toEqual([]);
    expect(found(listCards, { totalCount: 0, records: [] })).toEqual([]);
    expect(found(listCards, { totalCount: 0, items: [] })).toEqual([
      'missing-field records: array or null / nothing',
      'unknown-field items: nothing / array of 0 items',
    ]);
    expect(found(listCards, 'none')).toEqual([
      'other-type -: array or object or null / string of 4 characters',
    ]);
  });

  it('and the name of an unknown field that may be a value is not repeated', () => {
    const names = { 'ada@example.com': 1, 'Ada Baker': 1, id20260105: 1, plain_name: 1 };
    expect(found(getStatus, { ...STATUS, ...names }).map((line) => line.replace(/: nothing.*/, ''))).toEqual([
      'unknown-field (name of 15 characters)',
      'unknown-field (name of 9 characters)',
      'unknown-field (name of 10 characters)',
      'unknown-field plain_name',
    ]);
  });

  it('except where the contract shows no fields', () => {
    expect(found(getFees, { anything: { perItem: 1 } })).toEqual([]);
    expect(found(PAYMENTS_OPERATIONS.getTransaction, TRANSACTION, { system: 'payments' })).toEqual([]);
  });

  it('and a nested field is needed where a workflow reads it through the fields around it', () => {
    const payload = { id: 'p-1', businessAccountHolder: { legalBusinessName: 1 } };
    const profile = found(getProfile, payload, BANKING).filter((line) => line.startsWith('other-type'));
    expect(profile).toEqual([
      'other-type id: integer / string of 3 characters (needed)',
      'other-type businessAccountHolder.legalBusinessName: string or null / integer of 1 character (needed)',
    ]);
  });

  it('by its HTTP status, which the contract lists or not', () => {
    const failed = (status: number) =>
      found(getStatus, undefined, { payload: undefined, failed: true, status });
    expect([404, 429, 503].flatMap(failed)).toEqual([]);
    const listed = 'http-status -: 200, 400, 401, 403, 404, 429, 500';
    expect(failed(418)).toEqual([`${listed} / 418 (needed)`]);
    expect(found(getStatus, STATUS, { status: 202 })).toEqual([`${listed} / 202`]);
  });

  it('and a body without the envelope of the partner is another form, and a file is not read', () => {
    expect(found(getStatus, undefined, { hasEnvelope: false })).toEqual([
      'other-form -: JSON, in the envelope of the contract if it has one / another body (needed)',
    ]);
    expect(found(generateFullStatement, undefined, BANKING)).toEqual([]);
  });
});

const BANKING = { system: 'banking' };

const TRANSACTION = {
  id: 'tx-1',
  status: 'settled',
  amount: 100,
  account_id: 'acc-1',
  terminal_id: 't',
  further: true,
};
