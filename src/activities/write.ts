import { activityInfo } from '@temporalio/activity';
import { atMostOnce, MissingResponse } from '../at-most-once/activity.js';
import { isUnauthenticated, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { problemText } from '../partners/text-limits.js';
import { awaitsPermission, isRetryable, toFailure } from './failures.js';

/** The partner's state just before a write. A later read compares with it to find the write's effect. */
type Baseline = Pick<PartnerErrorDetails, 'baseline' | 'phase'>;

/** Sends writes to a partner at most once (at-most-once/README.md). {@link PartnerError.kind} says whether a write took effect. */
export const { sendOnce, sendOnceThenRead, sendRepeatably } = atMostOnce<Baseline>({
  classify: (error) => {
    if (!(error instanceof PartnerError) || error.kind === 'Uncertain') return 'uncertain';
    if (!isRepeated(error)) return 'rejected';
    // The partner may have saved what it alone refused.
    return error.details.refusesReads === false ? 'uncertain' : 'none';
  },
  toFailure: (error, retryable, sent) => {
    if (error instanceof PartnerError)
      return toFailure(!retryable && isRepeated(error) ? asUncertain(error) : error, retryable, sent);
    // A bug in Gangway (software-errors.ts). The server retries a repeatable write.
    return retryable ? error : toFailure(uncertainError(error), false, sent);
  },
  toUnsentFailure: (error) => {
    if (!(error instanceof PartnerError)) return error;
    // The read before the write is of an existing record, so a 404 is not final.
    const retryable = error.status === 404 || isRetryable(error, activityInfo().attempt, false);
    return toFailure(retryable ? error : attributeToRead(error), retryable);
  },
});

const isRepeated = (error: PartnerError) => hadNoEffect(error) || awaitsPermission(error);
const asUncertain = ({ details }: PartnerError) => new PartnerError({ ...details, kind: 'Uncertain' });

/** Reports whether a request had no effect and may succeed later. */
function hadNoEffect({ kind, details }: PartnerError): boolean {
  return kind === 'NotSent' || kind === 'RateLimited' || isUnauthenticated(details);
}

/** Returns the error for a bug in Gangway after a request, without the bug's message, which may contain private values. */
function uncertainError(error: unknown): PartnerError {
  const name = error instanceof Error ? error.name : 'unknown';
  const reason = error instanceof MissingResponse ? error.message : name;
  const { activityType: operation } = activityInfo();
  return new PartnerError({ system: 'gangway', operation, kind: 'Uncertain', fields: [], reason });
}

/**
 * Says that the read before the write failed. Before the intent, only that read has an HTTP status, and the write has none. Drops
 * field names, because a correction cannot fix a read.
 */
function attributeToRead(error: PartnerError): PartnerError {
  const { status, ...details } = error.details;
  if (status === undefined) return error;
  const { operation, fields } = details;
  const message = `not sent, because the preceding ${operation} failed (HTTP ${status})`;
  const problems = fields.map((problem) => ({ field: '', message: problemText(problem) }));
  return new PartnerError({ ...details, fields: [{ field: '', message }, ...problems] });
}
