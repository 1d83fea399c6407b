import { correctionProblems } from '../messages/correction-problems.js';
import type { KnownAccounts } from '../messages/known-accounts.js';
import type { CorrectionActivities } from '../messages/onboarding-activities.js';

/** Checks what people correct. It needs the schemas of inputs, which stay out of the workflows. */
export function correctionActivities(known: KnownAccounts): CorrectionActivities {
  return {
    async checkCorrection({ type, input, patch, ...context }) {
      return correctionProblems(type, input, patch, { ...context, known });
    },
  };
}
