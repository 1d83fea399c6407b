import { describe, expect, it } from 'vitest';
import {
  businessOnboardingInput,
  dba,
  externalId,
  followedBusinessInput,
  followedMerchantInput,
  merchantBoardingInput,
} from '../../../src/messages/inputs.js';

/** The first thing that is wrong with an `externalId`; undefined when it is valid. */
const problemWith = (id: string) => externalId.safeParse(id).error?.issues[0]?.message;

describe('an externalId', () => {
  it.each([
    'm-1',
    'A',
    '7',
    'crm:2026.04_a-b',
    '12345678',
    '1234567890',
    '123-456-789',
    'a'.repeat(200),
    // Digits without a meaning.
    '01a1fd30-abdc-7c0d-a0c9-9edbb184ef65',
    'm-01a1fd30-abdc-7c0d-a012-1234567abcde',
    'd41d8cd98f00b204e9800998ecf8427e',
    'cus_9s6XKzkNRiz8i3',
    'order-2026-11-22-0001',
    '2026-11-22-1234567',
    '2026-11-22T10:15:00Z',
    'a123456789',
  ])('may be %s', (id) => {
    expect(problemWith(id)).toBeUndefined();
  });

  const SSNS = [
    '123-45-6789',
    '123456789',
    'm-900-12-3456',
    'm900-12-3456',
    '900-12-3456-2',
    'a:900-12-3456:b',
    '900.12.3456',
    'm_900_12_3456',
    'ssn:900:12:3456',
    '900-12_3456',
    'm-900123456',
    'm900123456',
    'ssn_900123456',
    '900123456-2',
    'x.900123456.y',
  ];
  it.each<[string, string[]]>([
    ['a social security number', SSNS],
    ['a tax number', ['12-3456789', 'ein-12-3456789', 'm_12-3456789.2']],
    ['a phone number', ['518-555-0100', 'm-518.555.0100', '1-518-555-0100', 'tel:518_555_0100']],
  ])('does not contain %s', (kind, ids) => {
    for (const id of ids) expect([id, problemWith(id)]).toEqual([id, `contains what looks like ${kind}`]);
  });

  it.each(['', '-m', '.m', 'm 1', 'm/1', 'ä', 'ada@example.com', 'a'.repeat(201)])('is not %j', (id) => {
    expect(problemWith(id)).toBeDefined();
  });
});

describe('a dba', () => {
  const dbaProblem = (name: string) => dba().safeParse(name).error?.issues[0]?.message;

  const DBAS = ['7', 'Corner Bakery', '1-800-555-0199 Taxi', '24/7', '12345678 Ontario', 'Route 66', '長い'];
  it.each(DBAS)('may be %s', (name) => {
    expect(dbaProblem(name)).toBeUndefined();
  });

  it.each([
    ['Ada Park 900-12-3456', 'contains what looks like a social security number'],
    ['900123456', 'contains what looks like a social security number'],
    ['Bakery, EIN 12-3456789', 'contains what looks like a tax number'],
    ['', 'must not be empty'],
  ])('is not %j', (name, problem) => {
    expect(dbaProblem(name)).toBe(problem);
  });

  const SSN = '900-12-3456';
  const input = { merchant: { dba: SSN }, holder: { doingBusinessAsName: SSN } };
  it.each([
    ['merchant.dba', merchantBoardingInput()],
    ['holder.doingBusinessAsName', businessOnboardingInput()],
    ['merchant.dba', followedMerchantInput()],
    ['holder.doingBusinessAsName', followedBusinessInput()],
  ])('is checked at %s', (path, schema) => {
    const issues = schema.safeParse(input).error?.issues ?? [];
    const matches = issues.filter((issue) => issue.path.join('.') === path).map(({ message }) => message);
    expect(matches).toEqual(['contains what looks like a social security number']);
  });
});
