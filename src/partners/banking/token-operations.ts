import { type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { tokenAnswer } from './answers.js';
import { nothing, secondFactorRequest, tokenRequest } from './requests.js';

/** Asking for a token and renewing one. `token.ts` does both by itself, with the one-time code inside of E1. */
export const TOKEN_OPERATIONS = {
  issueToken: {
    reference: 'E1',
    summary: 'Issue a Bearer token for user name and password, in the user’s or the partner’s form',
    method: 'POST',
    path: '/api/auth/v2',
    query: ['likev1'],
    anonymous: true,
    effect: 'idempotent',
    issuesCredential: true,
    provenance: 'documented',
    request: tokenRequest,
    response: tokenAnswer,
    maxBytes: RESPONSE_BYTES.status,
  },
  confirmSecondFactor: {
    summary: 'Issue a Bearer token for user name, password and a one-time code',
    method: 'POST',
    path: '/api/auth/v2/2Fac',
    anonymous: true,
    effect: 'idempotent',
    issuesCredential: true,
    provenance: 'assumed',
    request: secondFactorRequest,
    response: tokenAnswer,
    maxBytes: RESPONSE_BYTES.status,
  },
  refreshToken: {
    reference: 'E2',
    summary: 'Issue a fresh token in exchange for one that is about to expire',
    method: 'POST',
    path: '/api/auth/refresh',
    effect: 'idempotent',
    issuesCredential: true,
    provenance: 'assumed',
    request: nothing,
    response: tokenAnswer,
    maxBytes: RESPONSE_BYTES.status,
  },
} as const satisfies Operations;
