import { PartnerError } from '../../../src/partners/partner-error.js';

/** The PartnerError a call fails with; anything else, success included, fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<PartnerError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof PartnerError) return outcome.error;
  throw new Error('expected a PartnerError', { cause: outcome });
}
