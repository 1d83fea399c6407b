import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { DBA_HEADER, SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';

/** Names the dba in the log lines of a workflow and of its activities, in the form of the search attribute. */
export function interceptors(): WorkflowInterceptors {
  const dba = () => workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba);
  const named = <Input extends { readonly headers: Headers }>(input: Input): Input => {
    const name = dba();
    if (name === undefined) return input;
    return { ...input, headers: { ...input.headers, [DBA_HEADER]: defaultPayloadConverter.toPayload(name) } };
  };
  return {
    outbound: [
      {
        getLogAttributes: (attributes, next) => next({ ...attributes, dba: dba() }),
        scheduleActivity: (input, next) => next(named(input)),
        scheduleLocalActivity: (input, next) => next(named(input)),
      },
    ],
  };
}
