import { describe, expect, it } from 'vitest';
import type { PartnerErrorDetails } from '../../../src/partners/partner-error.js';
import { explainPartnerFailure } from '../../../src/texts/partner-failures.js';

describe('a call of a partner that failed', () => {
  const NOT_SENT = { system: 'banking', operation: 'get-profile', kind: 'NotSent', fields: [] } as const;

  it.each<[string, Partial<PartnerErrorDetails>, string]>([
    [
      'nobody listens',
      { reason: 'ECONNREFUSED' },
      'the banking partner could not be reached: it refused the connection (ECONNREFUSED)',
    ],
    [
      'the sign-in responds with 500',
      { atSignIn: true, status: 500, reason: 'issue-token: HTTP 500' },
      'the banking partner did not sign us in: issue-token: HTTP 500',
    ],
    [
      'the sign-in does not respond',
      { atSignIn: true, reason: 'issue-token: UND_ERR_HEADERS_TIMEOUT' },
      'the banking partner did not sign us in: issue-token: no response in time (UND_ERR_HEADERS_TIMEOUT)',
    ],
    [
      'no space is left for its file',
      { atStore: true, reason: 'no file: no space is left (ENOSPC)' },
      'the file store failed: no file: no space is left (ENOSPC)',
    ],
  ])('reports what happened when %s', (_, details, sentence) => {
    expect(explainPartnerFailure({ ...NOT_SENT, reason: '', ...details })).toBe(sentence);
  });
});
