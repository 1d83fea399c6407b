import { webhookFigures, webhookText } from '../../../reports/webhooks.js';
import { type Check, ok, warn } from './check.js';

/** Shows what webhooks were worth in the last week, and those that have stopped, as the alert about them sees it. */
export function webhookCheck(env: NodeJS.ProcessEnv): Check {
  return {
    name: 'webhooks',
    fix: 'correct GANGWAY_PROMETHEUS_URL, or start Prometheus',
    async run(signal) {
      const figures = await webhookFigures(env, signal);
      if (!figures) return [ok('off: set GANGWAY_PROMETHEUS_URL to see how many changes webhooks bring')];
      if (figures.length === 0) return [ok('Prometheus has counted no changes or webhooks this week')];
      const fix = 'see docs/operations.md, "Alert: webhooks stopped"';
      return figures.map((figure) =>
        figure.hasStopped ? warn(webhookText(figure), fix) : ok(webhookText(figure)),
      );
    },
  };
}
