import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../../../src/services/reports/report.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { prometheus, WEBHOOK_SAMPLES } from '../../../rigs/commands/prometheus.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { customer, merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';

// A report counts all onboardings of a server.
const rig = await createRig({ ownNamespace: true, worker: false, accounts: ['acme'] });
let waiting: Onboarding;
beforeAll(async () => {
  const worker = await rig.startWorker();
  const all = [merchant(), merchant(), merchant('declined', { account: 'acme' })];
  const boardings = await Promise.all(all.map((input) => rig.board(input)));
  const onboarding = await rig.onboard(customer());
  await Promise.all([...boardings, onboarding].map((each) => each.outcome()));
  ({ boarding: waiting } = await waitingBoarding(rig));
  for (const boarding of boardings) await boarding.listed(` AND ExecutionStatus = 'Completed'`);
  await onboarding.listed(` AND ExecutionStatus = 'Completed'`);
  // Reports need none.
  await worker.stop();
});
const folder = await mkdtemp(join(tmpdir(), 'gangway-report-'));
afterAll(() => rig.close());

const gangway = (...args: readonly string[]) => runGangway(rig.env, ['report', ...args]);

async function reported(...args: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await gangway('--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('gangway report, without a worker', () => {
  it('counts stages, outcomes and requirements, and names the longest waits', async () => {
    const report = await reported();
    expect(report).toMatchObject({
      version: 1,
      running: 1,
      waiting: 1,
      ended: 5,
      stages: [{ subject: 'merchant', stage: 'underwriting', running: 1, waiting: 1 }],
      requirements: [{ kind: 'underwriting-note', open: 2, overdue: 0 }],
    });
    expect(report.stageTimes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: 'merchant', stage: 'applying', count: 5 }),
        expect.objectContaining({ subject: 'customer', stage: 'onboarding', count: 1 }),
      ]),
    );
    const wait = { workflowId: waiting.workflowId, dba: 'Corner Bakery [notes]', partnerStatus: 'Pending' };
    expect(report.longest).toMatchObject([
      { ...wait, waits: 'person', for: 'underwriting-note' },
      { ...wait, waits: 'stage', for: 'underwriting' },
    ]);
  });

  it('counts one account, or only what ended since a time', async () => {
    expect(await reported('--partner-account', 'acme')).toMatchObject({
      running: 0,
      ended: 1,
      filter: { partnerAccount: 'acme' },
      weeks: [{ subject: 'merchant', outcomes: { declined: 1 } }],
    });
    expect(await reported('--since', '2099-01-01')).toMatchObject({ running: 1, ended: 0, weeks: [] });
  });

  it('prints tables, and how long Temporal keeps what has ended', async () => {
    const { code, stdout, stderr } = await gangway('--by', 'account');
    expect(code).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/ +/g, ' ').trim());
    expect(lines[0]).toMatch(
      /^1 running, 1 waiting for a person, 0 of them for over a day; 0 in one stage for over a day; 5 ended since 20\d\d-\d\d-\d\d \d\d:\d\d [^ ;]+$/,
    );
    expect(lines.filter((line) => /^[A-Z][^A-Z]*(\(|$)/.test(line))).toEqual([
      'By stage',
      'Time in each stage',
      'Open requirements',
      'Longest waits for a person',
      'Longest in their stage',
      'Outcomes by week (Monday, UTC)',
      'By account',
    ]);
    expect(lines).toContain('merchant underwriting 1 1');
    expect(lines.some((line) => /^underwriting-note 2 0 \d+ (s|min) \d+ (s|min)$/.test(line))).toBe(true);
    expect(stderr).toMatch(/^Temporal keeps ended onboardings for \d+ [a-z]+ \(the retention/);
  });

  it('prints each number as a row of CSV', async () => {
    const { stdout } = await gangway('--csv');
    const [head, ...rows] = stdout.split('\r\n');
    expect(head).toBe('section,onboarding,name,week,measure,value');
    expect(rows).toEqual(
      expect.arrayContaining([
        'stages,merchant,underwriting,,running,1',
        'requirements,,underwriting-note,,open,2',
        expect.stringMatching(/^outcomes,merchant,boarded,20\d\d-\d\d-\d\d,count,\d$/),
        expect.stringMatching(/^stage-times,merchant,applying,,p90Seconds,\d+$/),
      ]),
    );
    expect(rows.slice(0, -1).every((row) => row.split(',').length === 6)).toBe(true);
  });

  it('prints one row a week, as a table, CSV and JSON', async () => {
    const rows = jsonLines<Record<string, unknown>>(await gangway('--weeks', '--json'));
    const total = (name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0);
    expect(rows.every(({ week }) => /^\d{4}-W\d\d$/.test(String(week)))).toBe(true);
    expect(['ended', 'succeeded', 'boarded', 'declined', 'onboarded'].map(total)).toEqual([5, 4, 3, 1, 1]);
    const [head = '', ...lines] = (await gangway('--weeks', '--csv')).stdout.trimEnd().split('\r\n');
    expect(head).toBe('week,monday,ended,succeeded,boarded,declined,onboarded');
    expect(lines).toHaveLength(rows.length);
    expect((await gangway('--weeks')).stdout).toMatch(
      /^WEEK +MONDAY +ENDED +SUCCEEDED +BOARDED +DECLINED +ONBOARDED\n/,
    );
    const later = await gangway('--weeks', '--since', '2099-01-01');
    expect(later.stdout).toMatch(/^nothing has ended since 2099-01-01 /);
    expect(await gangway('--weeks', '--html', 'x.html')).toMatchObject({ code: 2, stdout: '' });
  });

  it('saves a page with a bar in each row of a table that compares, and nothing comes from elsewhere', async () => {
    const file = join(folder, 'report.html');
    expect(await gangway('--html', file)).toMatchObject({ code: 0, stdout: `saved the report to ${file}\n` });
    const page = await readFile(file, 'utf8');
    const rows = page.match(/<td data-title="Compared"/g) ?? [];
    expect(rows.length).toBeGreaterThan(1);
    expect(page.match(/<svg class="bar"/g)).toHaveLength(rows.length);
    expect(page).not.toMatch(/<script|<link|src=|url\(|@import|https?:/);
    expect(await gangway('--html', join(file, 'no-folder'))).toMatchObject({
      code: 2,
      stderr: `${file}/no-folder: cannot be written (ENOTDIR)\n`,
    });
  });

  it('also shows what webhooks nudged, as Prometheus knows it, unless it does not respond or know the filter', async () => {
    const url = await prometheus(WEBHOOK_SAMPLES);
    const withPrometheus = (args: readonly string[], at = url) =>
      runGangway({ ...rig.env, GANGWAY_PROMETHEUS_URL: at }, ['report', ...args]);
    const acme =
      'merchant of acme: webhooks brought 10 changes in 7 days, only the poll saw 2; the last one came 2 h ago';
    const { stdout } = await withPrometheus([]);
    expect(stdout.trimEnd().split('\n').slice(-4)).toEqual([
      'Webhooks',
      'business: webhooks brought 0 changes in 7 days, only the poll saw 0; none came',
      'merchant: webhooks brought 0 changes in 7 days, only the poll saw 7; none came',
      acme,
    ]);
    const rows = (await withPrometheus(['--csv', '--partner-account', 'acme'])).stdout.split('\r\n');
    expect(rows.filter((row) => row.startsWith('webhooks'))).toEqual([
      'webhooks,merchant,acme,,nudged,10',
      'webhooks,merchant,acme,,pollOnly,2',
      'webhooks,merchant,acme,,sinceLastSeconds,7200',
    ]);
    const { webhooks } = JSON.parse((await withPrometheus(['--json', '--system', 'banking'])).stdout);
    expect(webhooks).toMatchObject([{ subject: 'business', nudged: 0 }]);
    const file = join(folder, 'webhooks.html');
    await withPrometheus(['--html', file]);
    expect(await readFile(file, 'utf8')).toContain(`<p>${acme}</p>`);

    const ofAgent = await withPrometheus(['--json', '--agent', '101']);
    expect(JSON.parse(ofAgent.stdout)).not.toHaveProperty('webhooks');
    const silent = await withPrometheus(['--json'], 'http://127.0.0.1:9');
    const stderr = 'the report lacks webhooks: Prometheus at http://127.0.0.1:9 does not answer queries\n';
    expect(silent).toMatchObject({ code: 0, stderr });
    expect(JSON.parse(silent.stdout)).not.toHaveProperty('webhooks');
  });
});
