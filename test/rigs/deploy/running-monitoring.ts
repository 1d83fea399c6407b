import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { endWithUs } from '../../../src/platform/process/lifecycle.js';
import { listening } from '../listening.js';
import { eventually } from '../waiting.js';
import type { Programs } from './programs.js';

/** A minute in the shipped files takes a second. */
const TIME_LAPSE = 60;

/** An hour takes 15 seconds, because an alert looks back four of them. */
const HOURS_LAPSE = 240;

/** How often Prometheus scrapes and evaluates, before the lapse. The 15 seconds of the files would be four times a second. */
const SAMPLED = '1m';

const TOKEN = 'token-of-alertmanager';

/** An alert that Alertmanager sent to a webhook. */
export interface Sent {
  /** The path of the webhook: `/pager` or `/tickets`. */
  readonly to: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Prometheus and Alertmanager with the shipped files. */
export interface Monitoring {
  /** The address of Prometheus. */
  readonly url: string;
  /** The alerts sent so far with the right token. */
  readonly sent: readonly Sent[];
  /** The values of an expression, by the values of their labels. */
  query(promql: string): Promise<Readonly<Record<string, number>>>;
  /** Names of the alerts that fire now. */
  firing(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Starts both with the files of `deploy/`. Only durations, which are {@link TIME_LAPSE} times shorter ({@link HOURS_LAPSE} times for
 * hours), how often Prometheus takes {@link SAMPLED samples}, and the addresses of scrape targets and webhooks differ.
 *
 * @param targets `host:port` by scrape job
 */
export async function startMonitoring(
  programs: Programs,
  targets: Readonly<Record<string, readonly string[]>>,
): Promise<Monitoring> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-monitoring-'));
  const sent: Sent[] = [];
  const webhooks = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    const { alerts } = (await json(request)) as { alerts: Omit<Sent, 'to'>[] };
    sent.push(...alerts.map((alert) => ({ to: request.url ?? '', ...alert })));
    response.writeHead(204).end();
  });
  const webhookUrl = `http://${await listening(webhooks, () => undefined)}`;
  const [port, alertPort] = [await freePort(), await freePort()];

  await writeFile(join(folder, 'token'), TOKEN);
  await cp('deploy/prometheus', folder, { recursive: true });
  await change(folder, 'alerts.yml', (text) => text);
  await change(folder, 'prometheus.yml', (text) => withAddresses(text, targets, `127.0.0.1:${alertPort}`));
  await cp('deploy/alertmanager', folder, { recursive: true });
  await change(folder, 'alertmanager.yml', (text) =>
    text
      .replace('https://pager.example.com/gangway', `${webhookUrl}/pager`)
      .replace('https://tickets.example.com/gangway', `${webhookUrl}/tickets`)
      .replace('/run/secrets/alert_token', join(folder, 'token')),
  );
  const url = `http://127.0.0.1:${port}`;
  const alertmanagerUrl = `http://127.0.0.1:${alertPort}`;
  const running = await Promise.all([
    start(programs.prometheus, url, [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'metrics')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]),
    start(programs['prometheus-alertmanager'], alertmanagerUrl, [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'alerts')}`,
      `--web.listen-address=127.0.0.1:${alertPort}`,
      '--cluster.listen-address=',
    ]),
  ]);
  const get = async (path: string) => {
    const response = await fetch(url + path);
    const { data } = (await response.json()) as {
      data: { result?: { metric: object; value: [number, string] }[]; alerts?: Sent[] };
    };
    return data;
  };
  return {
    url,
    sent,
    async query(promql) {
      const { result = [] } = await get(`/api/v1/query?${new URLSearchParams({ query: promql })}`);
      return Object.fromEntries(
        result.map(({ metric, value }) => [Object.values(metric).join(), Number(value[1])]),
      );
    },
    async firing() {
      const { alerts = [] } = await get('/api/v1/alerts');
      const firing = alerts.filter((alert) => (alert as { state?: string }).state === 'firing');
      return [...new Set(firing.map(({ labels }) => labels['alertname'] ?? ''))].sort();
    },
    async close() {
      await Promise.all(running.map((stop) => stop()));
      webhooks.closeAllConnections();
      webhooks.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function change(folder: string, name: string, edit: (text: string) => string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, shortened(edit(await readFile(file, 'utf8'))));
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Shortens the durations of settings, of `for`, of offsets and of ranges, and hours in seconds; texts and other numbers stay. */
function shortened(text: string): string {
  const lapse = (unit: string) => (unit === 'h' ? HOURS_LAPSE : TIME_LAPSE);
  return text
    .replace(
      /(_interval: |_wait: |for: |offset |\[)(\d+)([smhd])(?![\w])/g,
      (_, before: string, count: string, unit: string) =>
        `${before}${(Number(count) * (UNITS[unit] ?? 0)) / lapse(unit)}ms`,
    )
    .replace(/(\d+) \* 3600\b/g, (_, hours: string) => String((Number(hours) * 3_600) / HOURS_LAPSE));
}

/** Replaces the names that exist only in Compose by addresses. */
function withAddresses(
  text: string,
  targets: Readonly<Record<string, readonly string[]>>,
  alertmanager: string,
): string {
  const { global, scrape_configs, alerting, ...rest } = parse(text);
  return stringify({
    ...rest,
    global: { ...global, scrape_interval: SAMPLED, evaluation_interval: SAMPLED },
    scrape_configs: scrape_configs.map(({ job_name }: { job_name: string }) => ({
      job_name,
      static_configs: [{ targets: targets[job_name] ?? [] }],
    })),
    alerting: { ...alerting, alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
  });
}

/**
 * Starts a program and waits until it is ready.
 *
 * @returns ends it
 */
async function start(
  [command, ...first]: readonly [string, ...string[]],
  url: string,
  args: readonly string[],
): Promise<() => Promise<void>> {
  const child = spawn(command, [...first, ...args], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  endWithUs(child, 'group');
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  const exited = once(child, 'exit');
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`${command} has ended: ${log}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await eventually(async () => isReady(), Boolean, `${command} at ${url}`);
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
