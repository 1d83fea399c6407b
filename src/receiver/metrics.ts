import { Counter, Histogram, Registry } from 'prom-client';
import { NUDGES } from '../temporal/nudge.js';
import { PROBLEMS } from './problems.js';

/** What the receiver counts, of itself; a path is that of its route, for it may hold anything. */
export function receiverMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const problems = new Counter({
    name: 'gangway_receiver_problems_total',
    help: 'Requests that were answered with a problem, by its kind',
    labelNames: ['problem'],
    registers,
  });
  // Prometheus sees an increase only from a value that it knows.
  for (const problem of Object.keys(PROBLEMS)) problems.inc({ problem }, 0);
  return {
    registry,
    problems,
    requests: new Counter({
      name: 'gangway_receiver_requests_total',
      help: 'Requests by route and HTTP status',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'gangway_receiver_request_duration_seconds',
      help: 'How long requests took',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
    nudges: new Counter({ ...NUDGES, labelNames: ['result'], registers }),
  };
}
