import type { MetricMeter } from '@temporalio/common';

/** A meter whose metrics a test reads as Prometheus shows them: gauges at their last value, counters at their sum. */
export function gauges() {
  const values = new Map<string, Map<string, number>>();
  const changed =
    (name: string, change: (before: number, value: number) => number) =>
    (value: number, labels: Readonly<Record<string, unknown>> = {}) => {
      const own = values.get(name) ?? new Map<string, number>();
      values.set(name, own);
      const key = keyOf(labels);
      own.set(key, change(own.get(key) ?? 0, value));
    };
  const meter = {
    createCounter: (name: string) => ({ add: changed(name, (before, value) => before + value) }),
    createGauge: (name: string) => ({ set: changed(name, (_, value) => value) }),
    createHistogram: (name: string) => ({ record: changed(name, (before, value) => before + value) }),
  } as unknown as MetricMeter;
  /** The values of a metric, by their labels in the order of the alphabet: `account=acme system=boarding`. */
  const render = (name: string) => Object.fromEntries(values.get(name) ?? []);
  return { meter, shown: render };
}

export function keyOf(labels: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${name}=${labels[name]}`).join(' ');
}
