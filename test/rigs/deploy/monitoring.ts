import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

/** A PromQL expression of a file under `deploy/`. */
export interface Expression {
  readonly where: string;
  readonly promql: string;
}

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

function read(path: string): string {
  return readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');
}

/** A rule that records a series for alerts, under a name with colons. */
interface Recording {
  readonly record: string;
  readonly expr: string;
}

function rules(): readonly (Alert | Recording)[] {
  const { groups } = parse(read('prometheus/alerts.yml')) as {
    readonly groups: readonly { readonly rules: readonly (Alert | Recording)[] }[];
  };
  return groups.flatMap(({ rules: ofGroup }) => ofGroup);
}

export function alerts(): readonly Alert[] {
  return rules().filter((rule) => 'alert' in rule);
}

/** Names of the alerts that fire in the unit tests of the rules. */
export function alertsSeenFiring(): ReadonlySet<string> {
  const { tests } = parse(read('prometheus/alerts.test.yml')) as {
    readonly tests: readonly {
      readonly alert_rule_test?: readonly {
        readonly alertname: string;
        readonly exp_alerts: readonly unknown[];
      }[];
    }[];
  };
  const cases = tests.flatMap(({ alert_rule_test = [] }) => alert_rule_test);
  return new Set(cases.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname));
}

/** Every expression of the rules and the dashboard, with a value for each of Grafana's variables. */
export function expressions(): readonly Expression[] {
  const { panels } = JSON.parse(read('grafana/gangway.json')) as { readonly panels: readonly Panel[] };
  const lines = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, promql: expr.replaceAll('$__rate_interval', '5m') })),
  );
  const ruled = rules().map((rule) => ({
    where: 'alert' in rule ? rule.alert : rule.record,
    promql: rule.expr,
  }));
  return [...ruled, ...lines];
}

/** Parses an expression with Prometheus' grammar. @returns whether it is valid, and the metrics that it names */
export function parsed(promql: string): {
  readonly isValid: boolean;
  readonly metrics: readonly string[];
} {
  let isValid = true;
  const metrics: string[] = [];
  parser.parse(promql).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) isValid = false;
      const isMetric = type.name === 'Identifier' && node.parent?.type.name === 'VectorSelector';
      if (isMetric) metrics.push(promql.slice(from, to));
    },
  });
  return { isValid, metrics };
}
