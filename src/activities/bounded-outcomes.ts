import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { bounded } from '../partners/bounds.js';

/**
 * Shortens what partners wrote, in the outcome of every activity, before a workflow keeps and shows it. Whoever runs an
 * activity by itself, such as `gangway call`, gets the response as it is.
 */
export const boundedOutcomes: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      const outcome = await next(input);
      const isAskedFor = info.workflowType === undefined || info.workflowType === 'singleActivity';
      return isAskedFor ? outcome : bounded(outcome);
    },
  },
});
