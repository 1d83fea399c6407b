import type { Opened } from '../client.js';
import type { HttpResponse } from '../http.js';

const SPEAKS_OF_A_LOCK = /lock|suspend|disabled|deactivat/i;
const SPEAKS_OF_A_FACTOR =
  /multi-?factor|mfa|2fa|two-?factor|one-?time|smscode|typeoperation|(?<![a-z])otp(?![a-z])/i;

/**
 * Whether E1 refused because a one-time code is missing or wrong. The contract says that this gives 401 or 403, as
 * other refusals do, and not how they differ. Assumed: a 403 that does not speak of a lock or a suspension is about
 * the code, and a 401 is when it speaks of codes or factors.
 */
export function asksForCode({ status, body }: HttpResponse, opened: Opened | undefined): boolean {
  if (status !== 401 && status !== 403) return false;
  const said = body.toString('utf8');
  if (SPEAKS_OF_A_LOCK.test(said)) return false;
  const messages = (opened?.fields ?? []).map(({ message }) => message).join('\n');
  return status === 403 || SPEAKS_OF_A_FACTOR.test(said) || /\bcode\b/i.test(messages);
}
