import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { outcomeFromFailure } from '../../../at-most-once/workflow.js';
import { PartnerError, type PartnerErrorDetails } from '../../../partners/partner-error.js';
import { StoreFailure } from '../../../platform/documents/file-store.js';
import { BadSetting } from '../../../platform/settings/settings.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { explainPartnerFailure, partnerErrorOfFailure } from '../../../services/texts/partner-failures.js';
import { UnsearchableText } from '../../../temporal/query.js';
import { isUnavailable, sentenceOf, TemporalProblem } from '../../../temporal/unavailable.js';
import { CommandFailed, EXIT, Interrupted } from './errors.js';

/** Explains an error to people: what happened, and what to do next. @returns undefined for an unexpected error */
export function explainError(error: unknown): string | undefined {
  if (error instanceof InvalidInput) return error.report;
  if (error instanceof PartnerError) return explainPartnerFailure(error.details);
  const isForPeople = [BadSetting, CommandFailed, StoreFailure].some((kind) => error instanceof kind);
  return isForPeople ? (error as Error).message : sentenceOf(error);
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted || error instanceof CommandFailed) return error.exitCode;
  if ([InvalidInput, BadSetting, UnsearchableText].some((kind) => error instanceof kind)) return EXIT.usage;
  const mayReturn = error instanceof TemporalProblem ? error.isUnavailable : isUnavailable(error);
  return mayReturn ? EXIT.unavailable : EXIT.failed;
}

/** Returns the error for a failed partner call. @param isRepeatable whether a second call does no harm */
export function partnerCallFailed(details: PartnerErrorDetails, isRepeatable: boolean): CommandFailed {
  const { kind, needs } = details;
  const mayHelp = kind === 'NotSent' || kind === 'RateLimited' || (kind === 'Uncertain' && isRepeatable);
  const exitCode = needs === 'one-time-code' ? EXIT.person : mayHelp ? EXIT.unavailable : EXIT.failed;
  return new CommandFailed(explainPartnerFailure(details), { exitCode });
}

/** Returns the error for a failed activity. @param isRepeatable undefined if unknown; false means that it records an intent */
export function explainActivity(error: unknown, taskQueue: string, isRepeatable: boolean | undefined) {
  const details = partnerErrorOfFailure(error);
  if (details) return partnerCallFailed(details, isRepeatable === true);
  const failure = error instanceof TimeoutFailure && error.cause ? error.cause : error;
  if (failure instanceof ApplicationFailure)
    return new CommandFailed(`the activity failed: ${failure.message}`);
  if (!(failure instanceof TimeoutFailure)) return failure;
  const unavailable = (message: string) => new CommandFailed(message, { exitCode: EXIT.unavailable });
  if (failure.timeoutType === 'SCHEDULE_TO_START')
    return unavailable(`no worker polls task queue ${taskQueue}: is one running?`);
  if (isRepeatable === false && outcomeFromFailure(failure)?.outcome === 'none')
    return unavailable('nothing was sent, because the worker stopped responding: call again');
  return new CommandFailed(
    'the outcome is unknown, because the worker stopped responding: check at the partner whether it took effect',
    { exitCode: isRepeatable ? EXIT.unavailable : EXIT.failed },
  );
}
