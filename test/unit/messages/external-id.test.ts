import { describe, expect, it } from 'vitest';
import { externalId } from '../../../src/messages/external-id.js';

/** The first thing that is wrong with an `externalId`; undefined when it is valid. */
const problemWith = (id: string) => externalId.safeParse(id).error?.issues[0]?.message;

describe('an externalId', () => {
  it.each(['m-1', 'A', '7', 'crm:2026.04_a-b', '12345678', '1234567890', '123-456-789', 'a'.repeat(200)])(
    'may be %s',
    (id) => {
      expect(problemWith(id)).toBeUndefined();
    },
  );

  it.each(['123-45-6789', '123456789', '123-456789', '12345-6789'])(
    'is not %s, which looks like a social security number',
    (id) => {
      expect(problemWith(id)).toBe('looks like a social security number');
    },
  );

  it.each(['', '-m', '.m', 'm 1', 'm/1', 'ä', 'ada@example.com', 'a'.repeat(201)])('is not %j', (id) => {
    expect(problemWith(id)).toBeDefined();
  });
});
