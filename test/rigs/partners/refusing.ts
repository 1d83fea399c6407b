import { expect } from 'vitest';
import { failureOf } from './failure.js';

/** Where nobody listens: whatever goes there fails with NotSent, which is no refusal. */
export const NOWHERE = 'http://127.0.0.1:1';

/** The names of the fields for which our own rules refuse a request, before anything is sent. */
export async function refusedFields(call: Promise<unknown>): Promise<string[]> {
  const error = await failureOf(call);
  expect(error).toMatchObject({ kind: 'Rejected', status: undefined, requestId: undefined });
  expect(error.details.reason).toBe('not sent: invalid request');
  return error.fields.map(({ field }) => field);
}
