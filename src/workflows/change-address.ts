import type { ChangeAddressInput, OperationOutcome } from '../messages/banking-activities.js';
import { requireFields } from './journey/input.js';
import { type Journey, runOperation } from './journey/journey.js';
import { ONCE, partnerActivities } from './journey/partner-activities.js';
import { partnerFailure } from './journey/partner-failure.js';
import { runStep } from './journey/run-step.js';

const { changeAddress: change } = partnerActivities('banking')({
  changeAddress: { ...ONCE, summary: 'Change the address' },
});

/**
 * Changes a postal address (E3). If the partner confirms the change by a one-time code, a person is asked for it. A code is
 * valid for one call, so after a rejection or a lost response the person is asked for another one.
 */
export async function changeAddress(input: ChangeAddressInput): Promise<OperationOutcome<object>> {
  requireFields(input, { streetAddress: 'string', postalCode: 'string', city: 'string', state: 'number' });
  const { oneTimeCode, ...address } = input;
  const needsCode = input.secureOperationType !== undefined;
  let code = oneTimeCode;
  return runOperation('change the address', async (journey) => {
    await runStep(journey, {
      effect: 'idempotent',
      title: 'change the address',
      prepare: async () => {
        if (needsCode)
          code ??= await askForCode(
            journey,
            `The partner confirms the change by a ${input.secureOperationType}.`,
          );
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
                ? 'The partner rejected the change (403): the code was wrong, or the change is not permitted.'
                : 'The call with the last code got no response, and a code is valid for one call.',
            );
          }
        }
      },
      endsWhenRejected: true,
    });
    journey.timeline.add('address-changed');
    return {};
  });
}

async function askForCode(journey: Journey, why: string): Promise<string> {
  const answer = await journey.ask({
    kind: 'one-time-code',
    title: 'One-time code needed: change the address',
    detail: `${why} Answer with a code of 6 digits.`,
    answers: ['code', 'abandon'],
  });
  return answer?.kind === 'code' ? answer.code : '';
}
