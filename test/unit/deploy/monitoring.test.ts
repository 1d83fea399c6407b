import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alerts, alertsSeenFiring, expressions, parsed } from '../../rigs/deploy/monitoring.js';

/** What happened, how to see it, what to do, what not to do. */
const RUNBOOK = /What happened:\*\*.+See it:\*\*.+\*\*Do:\*\*.+\*\*Do not\*\*/s;

describe('alerts and dashboard', () => {
  it('hold PromQL and nothing else', () => {
    const wrong = expressions().filter(({ promql }) => {
      const { isValid, metrics } = parsed(promql);
      return !isValid || metrics.length === 0;
    });
    expect(wrong).toEqual([]);
    expect(expressions().length).toBeGreaterThan(35);
    expect(parsed('sum(rate(a_total[5m])) by').isValid).toBe(false);
    expect(parsed('sum by (b) (rate(a_total{c="d"}[5m])) > 0').metrics).toEqual(['a_total']);
  });

  it('filter by the names of the scrape jobs', () => {
    const { scrape_configs: jobs } = parse(readFileSync('deploy/prometheus/prometheus.yml', 'utf8'));
    const names = jobs.map(({ job_name }: { job_name: string }) => job_name);
    const filtered = expressions().flatMap(({ promql }) =>
      [...promql.matchAll(/job="([^"]*)"/g)].map(([, job]) => job),
    );
    expect(new Set(filtered)).toEqual(new Set(names));
    for (const { alert, expr } of alerts()) expect(expr, alert).toMatch(/job="|gangway:/);
  });

  it('send whoever is alerted to a section of its own in the operations guide', () => {
    const words = (name: string) =>
      name.replace(/^Gangway/, '').replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`);
    const guide = readFileSync('docs/operations.md', 'utf8');
    const runbooks = guide.split(/^#{2,3} /m).filter((section) => section.startsWith('Alert: '));
    const names = runbooks.map((text) => /^Alert: (.+)$/m.exec(text)?.[1]?.toLowerCase() ?? '');
    expect(names.map((name) => `alert-${name.replaceAll(' ', '-')}`)).toEqual(
      alerts().map(({ annotations }) => annotations['runbook_url']?.split('#')[1]),
    );
    for (const [index, { alert, annotations, labels }] of alerts().entries()) {
      const anchor = `alert-${words(alert).toLowerCase()}`;
      expect(annotations).toEqual({
        summary: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        runbook_url: `docs/operations.md#${anchor}`,
      });
      expect(['page', 'ticket']).toContain(labels['severity']);
      expect(runbooks[index], alert).toMatch(new RegExp(`^.+\n\n${labels['severity']}\\.\n`, 'i'));
      expect(runbooks[index], alert).toMatch(RUNBOOK);
    }
  });

  it('have a unit test that sees each alert fire', () => {
    expect(new Set(alerts().map(({ alert }) => alert))).toEqual(alertsSeenFiring());
  });
});
