import { ApplicationFailure } from '@temporalio/common';

const TYPES = ['InvalidResolution', 'OnboardingEnded', 'KeyReused', 'AcceptedBefore'] as const;

/**
 * The reason why a workflow does not accept an answer: it does not fit, its onboarding has ended, its idempotency key belongs to another
 * request, or this request was accepted before, with the receipt in the details.
 */
export type RejectionType = (typeof TYPES)[number];

/**
 * Rejects an answer. Everyone who can read the server reads the message, because the Web UI shows it as it is stored: it names
 * fields, rules and our IDs, and quotes nothing of the answer.
 */
export function rejection(
  message: string,
  type: RejectionType = 'InvalidResolution',
  ...details: readonly unknown[]
): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type, ...details);
}

/** @throws {ApplicationFailure} if there is a problem */
export function rejectProblem(problem: string | undefined): void {
  if (problem !== undefined) throw rejection(problem);
}

/**
 * A rejection that names a person. Only those who can decrypt it see the name.
 *
 * @param publicMessage the message without the name, for everyone
 */
export function privateRejection(message: string, publicMessage: string): ApplicationFailure {
  return Object.assign(rejection(message), { publicMessage });
}

/** The message that everyone may see. */
export function publicMessageOf(failure: ApplicationFailure & { readonly publicMessage?: string }): string {
  return failure.publicMessage ?? failure.message;
}

export function isRejection(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && TYPES.some((type) => type === error.type);
}
