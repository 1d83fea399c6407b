import { expect, it } from 'vitest';
import { problemsIn } from '../../../../src/activities/banking/refusal.js';
import { ifFound, ifNotRejected } from '../../../../src/activities/failures.js';
import { PartnerError, type PartnerErrorDetails } from '../../../../src/partners/partner-error.js';

const failed = (more: Pick<PartnerErrorDetails, 'kind'> & Partial<PartnerErrorDetails>) =>
  new PartnerError({ system: 'banking', operation: 'get-profile', fields: [], reason: '', ...more });

it.each([
  [{ kind: 'Rejected', status: 404 }, 'none', true],
  [{ kind: 'Rejected', status: 400 }, 'fails', true],
  [{ kind: 'Rejected' }, 'fails', true],
  [{ kind: 'Forbidden', status: 403 }, 'fails', true],
  [{ kind: 'Forbidden', status: 403, atSignIn: true }, 'fails', false],
  [{ kind: 'Forbidden', status: 403, needs: 'one-time-code' }, 'fails', false],
  [{ kind: 'Unauthorized', status: 401 }, 'fails', false],
  [{ kind: 'Uncertain', status: 404 }, 'fails', false],
] as const)('a search that ends as %j: %s; the request was refused: %s', async (details, result, refused) => {
  const error = failed(details);
  expect(await ifFound(Promise.reject(error), 'none').catch(() => 'fails')).toBe(result);
  expect(await ifNotRejected(Promise.reject(error), 'refused').catch(() => 'fails')).toBe(
    refused ? 'refused' : 'fails',
  );
});

it('an error that is no response of the partner is no refusal', async () => {
  await expect(ifNotRejected(Promise.reject(new Error('a bug')), 'none')).rejects.toThrow('a bug');
  await expect(ifFound(Promise.reject(new Error('a bug')), 'none')).rejects.toThrow('a bug');
});

it.each([
  [true, 'odd', []],
  [false, ' odd ', ['odd']],
  [false, ' ', ['the partner gave no reason']],
  [false, null, ['the partner gave no reason']],
])('a response with success %s and errors %j has the problems %j', (success, errors, messages) => {
  expect(problemsIn({ success, errors }).map(({ message }) => message)).toEqual(messages);
});
