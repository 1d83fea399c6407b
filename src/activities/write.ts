import { activityInfo } from '@temporalio/activity';
import { atMostOnce, MissingResponse } from '../at-most-once/activity.js';
import { isUnauthenticated, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { problemText } from '../partners/text-limits.js';
import { awaitsPermission, isRetryable, toFailure } from './failures.js';

/** What the partner had just before a write. A later read compares with it to find the write's effect. */
type Baseline = Pick<PartnerErrorDetails, 'baseline' | 'phase'>;

/** Sends writes to a partner at most once (at-most-once/README.md). {@link PartnerError.kind} says whether a write took effect. */
export const { sendOnce, sendOnceThenRead, sendRepeatably } = atMostOnce<Baseline>({
  classify: (error) => {
    if (!(error instanceof PartnerError) || error.kind === 'Uncertain') return 'uncertain';
    if (!isRepeated(error)) return 'rejected';
    return error.details.refusesReads === false ? 'refused' : 'none';
  },
  toFailure: (error, retryable, sent) => {
    if (error instanceof PartnerError)
      return toFailure(!retryable && isRepeated(error) ? asUncertain(error) : error, retryable, sent);
    // A bug in Gangway (software-errors.ts). A repeatable write is retried.
    return retryable ? error : toFailure(uncertainError(error), false, sent);
  },
  toUnsentFailure: (error) => {
    if (!(error instanceof PartnerError)) return error;
    // The record that is read before the write exists, so a 404 is not final.
    const retryable = error.status === 404 || isRetryable(error, activityInfo().attempt, false);
    return toFailure(retryable ? error : attributeToRead(error), retryable);
  },
});

const isRepeated = (error: PartnerError) => hadNoEffect(error) || awaitsPermission(error);
const asUncertain = ({ details }: PartnerError) => new PartnerError({ ...details, kind: 'Uncertain' });

/** The request had no effect at the partner, and may succeed later. */
function hadNoEffect({ kind, details }: PartnerError): boolean {
  return kind === 'NotSent' || kind === 'RateLimited' || isUnauthenticated(details);
}

/** A bug in Gangway after the request was sent. The error's message may hold private values. */
function uncertainError(error: unknown): PartnerError {
  const name = error instanceof Error ? error.name : 'unknown';
  const reason = error instanceof MissingResponse ? error.message : name;
  const { activityType: operation } = activityInfo();
  return new PartnerError({ system: 'gangway', operation, kind: 'Uncertain', fields: [], reason });
}

/**
 * Reports that the read before the write failed. Before the intent, only that read can have an HTTP status. Drops field names, because
 * a correction can't fix a read.
 */
function attributeToRead(error: PartnerError): PartnerError {
  const { operation, status, fields } = error.details;
  if (status === undefined) return error;
  const message = `not sent, because the preceding ${operation} failed (HTTP ${status})`;
  const problems = fields.map((problem) => ({ field: '', message: problemText(problem) }));
  return new PartnerError({ ...error.details, fields: [{ field: '', message }, ...problems] });
}
