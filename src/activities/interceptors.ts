/** Interceptors of all activities. They limit the length of texts, and mask private values in the log. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { DBA_HEADER } from '../messages/search-attributes.js';
import { boundTexts } from '../partners/text-limits.js';
import { holdPrivate } from '../platform/process/logging.js';

/** Shortens partners' texts in results before they reach a workflow. `gangway call` returns the response unchanged. */
export const boundOutcomes: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      const result = await next(input);
      return info.inWorkflow ? boundTexts(result) : result;
    },
  },
});

/** Adds the onboarding's dba to the log lines of its activities. */
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

/** Masks the private values of an attempt's input in the log, until the SDK has logged the attempt's result. */
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
