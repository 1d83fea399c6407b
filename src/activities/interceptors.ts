/** Interceptors of every activity: what the log shows of it, and how long its texts may be. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { DBA_HEADER } from '../messages/search-attributes.js';
import { boundTexts } from '../partners/text-limits.js';
import { holdPrivate } from '../platform/process/logging.js';

/** Shortens the texts of partners in results, before a workflow keeps them. `gangway call` returns the response unchanged. */
export const boundOutcomes: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      const result = await next(input);
      return info.inWorkflow ? boundTexts(result) : result;
    },
  },
});

/** Names the onboarding in the log lines of its activities. */
export function logDba(): ActivityInterceptors {
  let dba: string | undefined;
  return {
    inbound: {
      execute(input, next) {
        const payload = input.headers[DBA_HEADER];
        dba = payload && defaultPayloadConverter.fromPayload<string>(payload);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) => next(dba === undefined ? attributes : { ...attributes, dba }),
    },
  };
}

/** Masks in the log the private values of each attempt's input while it runs, and until the SDK has logged its result. */
export function maskInputs(): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const release = holdPrivate(input.args);
        try {
          return await next(input);
        } finally {
          setImmediate(release);
        }
      },
    },
  };
}
