import { type MetricMeter, noopMetricMeter } from '@temporalio/common';

/** Takes what activities count, each as `name result value`. */
export function counter() {
  const counts: string[] = [];
  const createCounter = (name: string) => ({
    ...noopMetricMeter.createCounter(name),
    add: (value: number, tags: Readonly<Record<string, unknown>>) =>
      void counts.push(`${name} ${tags['result']} ${value}`),
  });
  return { counts, metricMeter: { ...noopMetricMeter, createCounter } as MetricMeter };
}
