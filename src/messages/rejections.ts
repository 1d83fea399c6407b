import { ApplicationFailure } from '@temporalio/common';

/** Why a workflow does not accept an answer: it does not fit, or its onboarding has ended. */
export type RejectionType = 'InvalidResolution' | 'OnboardingEnded';

const TYPES: readonly (string | null | undefined)[] = [
  'InvalidResolution',
  'OnboardingEnded',
] satisfies readonly RejectionType[];

/**
 * Rejects an answer. Everyone who can read the server reads the message, because the Web UI shows it as it is stored: it names
 * fields, rules and our ids, and quotes nothing of the answer.
 */
export function rejection(message: string, type: RejectionType = 'InvalidResolution'): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}

export function isRejection(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && TYPES.includes(error.type);
}
