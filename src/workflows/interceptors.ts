import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import {
  proxySinks,
  upsertSearchAttributes,
  type WorkflowExecuteInput,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow';
import { atAccount, WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import { isObject } from '../messages/objects.js';
import { DBA_HEADER, SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import {
  LOCATED,
  type ReplaySinks,
  type Requested,
  TRACE_HEADER,
  type TraceContext,
  type TraceSinks,
  withParent,
  workflowSpanId,
} from '../messages/trace-sinks.js';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE } from '../partners/text-limits.js';
import { currentAccount } from './runtime/activity-proxies.js';

const { trace } = proxySinks<TraceSinks>();

const { replay } = proxySinks<ReplaySinks>();

/** Set by a replay that locates a nondeterminism error, before it loads this bundle (worker/replay.ts). */
const isLocated = LOCATED in globalThis;
if (isLocated) Error.stackTraceLimit = 50;

/** Tells a replay each request of the workflow, with its location in the code. */
function reportRequest(what: Requested['what'], name: string): void {
  if (isLocated) replay.requested({ what, name, stack: new Error().stack ?? '' });
}

/** Continues the caller's trace in activities and children, passes the dba to activities, and checks the account in the input. */
export function interceptors(): WorkflowInterceptors {
  // Empty without a trace, so no header is written. The SDK's own interceptors would run a second OpenTelemetry SDK in each
  // workflow, and put error messages into spans.
  let traceHeader: Headers = {};
  const dba = () => workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba);
  const withHeaders = <Input extends { readonly headers: Headers }>(
    input: Input,
    more: Headers = {},
  ): Input => ({
    ...input,
    headers: { ...input.headers, ...traceHeader, ...more },
  });
  return {
    inbound: [
      {
        async execute(input, next) {
          const { firstExecutionRunId, continuedFromExecutionRunId } = workflowInfo();
          const cause = causeIn(input.headers);
          const traceContext = cause && withParent(workflowSpanId(firstExecutionRunId), cause);
          if (traceContext) {
            traceHeader = header(TRACE_HEADER, traceContext);
            if (continuedFromExecutionRunId === undefined) trace.start(cause);
          }
          // A synchronous error would fail the workflow task, which the server retries forever, so this function is async.
          return next(withoutAccount(input));
        },
      },
    ],
    outbound: [
      {
        getLogAttributes: (attributes, next) => next({ ...attributes, dba: dba() }),
        scheduleActivity(input, next) {
          reportRequest('activity', input.activityType);
          const name = dba();
          return next(withHeaders(input, name === undefined ? {} : header(DBA_HEADER, name)));
        },
        startChildWorkflowExecution(input, next) {
          reportRequest('child', input.workflowType);
          return next(withHeaders(input));
        },
        continueAsNew: (input, next) => next(withHeaders(input)),
      },
    ],
  };
}

function header(name: string, value: unknown): Headers {
  return { [name]: defaultPayloadConverter.toPayload(value) };
}

/** Reads the trace from the header, which may contain anything, because the caller sets it. */
function causeIn({ [TRACE_HEADER]: payload }: Headers): TraceContext | undefined {
  if (!payload) return undefined;
  try {
    const cause = defaultPayloadConverter.fromPayload<TraceContext | null>(payload);
    return typeof cause?.traceparent === 'string' ? cause : undefined;
  } catch {
    return undefined;
  }
}

/** Checks `account` and removes it from the input. The account in the workflow ID counts, which keeps equal external IDs apart. */
function withoutAccount(input: WorkflowExecuteInput): WorkflowExecuteInput {
  const { workflowType, typedSearchAttributes } = workflowInfo();
  if (!(workflowType in WORKFLOW_ID_PREFIXES)) return input;
  const [first, ...others] = input.args;
  const { account, ...fields } = isObject(first) ? first : {};
  const accountInId = currentAccount();
  const attribute = typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount);
  for (const named of [account, attribute, accountInId]) {
    if (named === undefined) continue;
    if (typeof named !== 'string' || !ACCOUNT_NAME.test(named)) throw invalid(ACCOUNT_NAME_RULE);
    if (named !== accountInId)
      throw invalid(`the workflow id must end in ${atAccount('', named)} for this account`);
  }
  if (accountInId !== undefined && attribute === undefined)
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.partnerAccount, value: accountInId }]);
  return account === undefined ? input : { ...input, args: [fields, ...others] };
}

function invalid(rule: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`account: ${rule}`, 'InvalidInput');
}
