import type { ChangeAddressInput, OperationOutcome } from '../messages/banking-activities.js';
import { runStep } from './journey/carry-out.js';
import { requireFields } from './journey/input.js';
import type { Journey } from './journey/journey.js';
import { partnerFailure } from './journey/partner-failure.js';
import { changeAddress as change } from './operation/activities.js';
import { operate } from './operation/operate.js';

/**
 * Changes a postal address (E3). Where the change is to be confirmed by a one-time code, a person is asked for it, and
 * for another one when that was refused or its call went unanswered: a code is good for one call.
 */
export async function changeAddress(input: ChangeAddressInput): Promise<OperationOutcome<object>> {
  requireFields(input, { streetAddress: 'string', postalCode: 'string', city: 'string', state: 'number' });
  const { oneTimeCode, ...address } = input;
  const needsCode = input.secureOperationType !== undefined;
  let code = oneTimeCode;
  return operate('change the address', async (journey) => {
    await runStep(journey, {
      title: 'change the address',
      prepare: async () => {
        if (needsCode)
          code ??= await askForCode(journey, `It is confirmed by a ${input.secureOperationType}.`);
      },
      run: async () => {
        for (;;) {
          const used = code;
          code = undefined;
          const confirmed = used === undefined ? address : { ...address, oneTimeCode: used };
          try {
            return await change({ change: confirmed });
          } catch (error) {
            const { kind } = partnerFailure(error);
            if (!needsCode || (kind !== 'Forbidden' && kind !== 'Uncertain')) throw error;
            code = await askForCode(
              journey,
              kind === 'Forbidden'
                ? 'The partner refused (403): the code was wrong, or it is not permitted.'
                : 'The call with the last code went unanswered, and a code is good for one call.',
            );
          }
        }
      },
      endsWhenRejected: true,
      repeats: true,
    });
    journey.timeline.add('address-changed');
    return {};
  });
}

async function askForCode(journey: Journey, why: string): Promise<string> {
  const answer = await journey.ask({
    kind: 'one-time-code',
    title: 'One-time code needed: change the address',
    detail: `${why} Answer with its 6 digits.`,
    answers: ['code', 'abandon'],
  });
  return answer?.kind === 'code' ? answer.code : '';
}
