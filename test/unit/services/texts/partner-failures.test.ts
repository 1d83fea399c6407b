import { describe, expect, it } from 'vitest';
import type { PartnerErrorDetails } from '../../../../src/partners/partner-error.js';
import { explainPartnerFailure } from '../../../../src/services/texts/partner-failures.js';

describe('a call of a partner that failed', () => {
  const NOT_SENT = { system: 'banking', operation: 'get-profile', kind: 'NotSent', fields: [] } as const;

  it.each<[Partial<PartnerErrorDetails>, string]>([
    [
      { reason: 'CERT_HAS_EXPIRED' },
      'could not be reached: its certificate has expired: ask the partner to renew it (CERT_HAS_EXPIRED)',
    ],
    [
      { reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      'could not be reached: an intermediate certificate is missing: ask the partner to send the whole chain; until then, name the certificate in NODE_EXTRA_CA_CERTS (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    ],
    [
      { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      'could not be reached: its certificate is for another name: correct the URL, or ask the partner (ERR_TLS_CERT_ALTNAME_INVALID)',
    ],
    [
      { reason: 'HTTPS_PROXY_407' },
      'could not be reached: the proxy (HTTPS_PROXY) does not accept our credentials (HTTPS_PROXY_407)',
    ],
    [{ reason: 'ECONNREFUSED' }, 'could not be reached: it refused the connection (ECONNREFUSED)'],
    [
      { atSignIn: true, status: 500, reason: 'issue-token: HTTP 500' },
      'did not sign us in: issue-token: HTTP 500',
    ],
    [
      { atSignIn: true, reason: 'issue-token: UND_ERR_HEADERS_TIMEOUT' },
      'did not sign us in: issue-token: no response in time (UND_ERR_HEADERS_TIMEOUT)',
    ],
    [
      { needs: 'one-time-code' },
      'requires a one-time code to sign in: answer its requirement ("gangway inbox"), or set BANKING_TOTP_SECRET',
    ],
  ])('%j is said of the partner', (details, said) => {
    const sentence = `the banking partner ${said}`;
    expect(explainPartnerFailure({ ...NOT_SENT, reason: '', ...details })).toBe(sentence);
  });

  it('and that it may have saved all the same says so', () => {
    const details = { kind: 'Rejected', reason: 'HTTP 400', saved: '5001' } as const;
    expect(explainPartnerFailure({ ...NOT_SENT, ...details })).toBe(
      'the banking partner rejected the request (HTTP 400)\n' +
        '  its response names 5001: look whether it was saved before you call again',
    );
  });

  it('of which a file found no space is a failure of the store', () => {
    const details = { atStore: true, reason: 'no file: no space is left (ENOSPC)' } as const;
    const sentence = 'the file store failed: no file: no space is left (ENOSPC)';
    expect(explainPartnerFailure({ ...NOT_SENT, ...details })).toBe(sentence);
  });
});
