import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { businessOnboardingInput } from '../../src/messages/business-onboarding-input.js';
import { customerOnboardingInput } from '../../src/messages/customer-onboarding-input.js';
import { merchantBoardingInput } from '../../src/messages/merchant-boarding-input.js';
import { addressChange, webhook } from '../../src/partners/banking/requests.js';
import { MAGIC_SSNS } from '../../src/sandbox/banking/scenarios.js';

const FOLDER = new URL('../../examples/', import.meta.url);
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  merchant: merchantBoardingInput(),
  business: businessOnboardingInput,
  customer: customerOnboardingInput(),
  address: z.preprocess((change: object) => ({ ...change, oneTimeCode: '000000' }), addressChange),
  webhooks: z.array(webhook),
};

it.each(files)('%s is valid', (file) => {
  const schema = SCHEMAS[/^[a-z]+/.exec(file)?.[0] ?? ''];
  expect(schema?.safeParse(read(file))).toMatchObject({ success: true });
});

/** Every text in a value, with the name of its member. */
function texts(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => texts(inner, member));
}

it.each(files)('%s holds data that belongs to nobody', (file) => {
  for (const [name, value] of texts(read(file))) {
    if (/email/i.test(name)) expect(value).toMatch(/@example\.com$/);
    if (/phone/i.test(name)) expect(value).toMatch(/^51855501\d\d$/);
    if (name === 'url' || name === 'website') expect(value).toMatch(/^https:\/\/\w+\.example\.com/);
    // Numbers that are never given out; those that the sandbox knows would change what becomes of an example.
    if (name === 'ssn') expect(value).toMatch(/^(123456789|(\d)\2{8})$/);
    if (name === 'ssn') expect(Object.keys(MAGIC_SSNS)).not.toContain(value);
  }
});

it('all go by different keys and names', () => {
  const ids = files.map((file) => read(file).externalId).filter(Boolean);
  expect(new Set(ids).size).toBe(ids.length);
  const names = files.map((file) => {
    const { merchant, boarding, holder } = read(file);
    return (merchant ?? boarding?.merchant)?.dba ?? holder?.doingBusinessAsName;
  });
  const plain = names.filter(Boolean).map((name: string) => name.replace(/ \[.*/, ''));
  expect(new Set(plain).size).toBe(plain.length);
});
