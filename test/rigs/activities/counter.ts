import { type MetricMeter, noopMetricMeter } from '@temporalio/common';

/** Takes what activities count, each as `name result value`, and the labels of each but its result. */
export function counter() {
  const counts: string[] = [];
  const labels: object[] = [];
  const createCounter = (name: string) => ({
    ...noopMetricMeter.createCounter(name),
    add: (value: number, { result, ...others }: Readonly<Record<string, unknown>>) => {
      counts.push(`${name} ${result} ${value}`);
      labels.push(others);
    },
  });
  return { counts, labels, metricMeter: { ...noopMetricMeter, createCounter } as MetricMeter };
}
