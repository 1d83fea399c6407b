import { ValueError } from '@temporalio/common';
import { ENCRYPTED, UnreadablePayload } from './payload-codec.js';

/** Whether an error says that a payload is encrypted with a key that we do not have. */
export function isUnreadable(error: unknown): error is Error {
  if (error instanceof UnreadablePayload) return true;
  // Without any key nothing decrypts, and the converter does not know the encoding.
  return error instanceof ValueError && error.message === `Unknown encoding: ${ENCRYPTED}`;
}
