import { expect } from 'vitest';
import { PartnerError } from '../../../src/partners/partner-error.js';

/** The PartnerError of a call, or another error. Anything else, including success, fails the test. */
export async function failureOf<Failure = PartnerError>(
  call: Promise<unknown>,
  kind: new (...values: never[]) => Failure = PartnerError as never,
): Promise<Failure> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof kind) return outcome.error;
  throw new Error(`expected a ${kind.name}`, { cause: outcome });
}

/** A URL where nothing listens: a request to it fails with NotSent, which is no refusal. */
export const NOWHERE = 'http://127.0.0.1:1';

/** The names of the fields for which our rules refuse a request before it is sent. */
export async function refusedFields(call: Promise<unknown>): Promise<string[]> {
  const error = await failureOf(call);
  expect(error).toMatchObject({ kind: 'Rejected', status: undefined, requestId: undefined });
  expect(error.details.reason).toBe('not sent: invalid request');
  return error.fields.map(({ field }) => field);
}

/** A row of a table for each value of each field. */
export const eachValue = (fields: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries(fields).flatMap(([field, values]) => values.map((value) => [field, value] as const));
