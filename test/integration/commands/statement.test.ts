import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatePayloadKey } from '../../../src/temporal/payload-codec.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await sharedRig();

const gangway = (args: readonly string[]) => runGangway(rig.env, ['statement', ...args]);

const NEXT_MONTH = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1));
const LAST_MONTH = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1));
const month = (date: Date) => date.toISOString().slice(0, 7);

describe('gangway statement now', () => {
  it('saves the statement of a month, and prints its file name', async () => {
    const args = ['now', '--account', 'fa-501-1', '--period', '2026-01', '--format', 'csv'];
    const { code, stdout } = await gangway(args);
    const saved = await readFile(join(rig.statementDir, '2026-01-fa-501-1.csv'), 'utf8');
    expect(saved).toContain('fa-501-1,2026-01-03T10:00:00Z,Card sales,1200.00');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      new RegExp(` done: 2026-01-fa-501-1\\.csv \\(${saved.length} bytes\\) is in the statement store$`),
    );
  });

  it('has it sent by e-mail, and prints JSON', async () => {
    const accounts = ['--account', 'fa-501-1', 'fa-501-2'];
    const args = ['now', ...accounts, '--period', '2026-02', '--email', 'books@example.com', '--json'];
    const [started, outcome] = jsonLines(await gangway(args));
    const workflowId = started?.['workflowId'];
    expect(workflowId).toMatch(/^operation-statement-now-[0-9a-f]{16}$/);
    const fileName = expect.stringMatching(/^2026-02-2-accounts-[0-9a-f]{8}\.pdf$/);
    const file = { fileName, bytes: expect.any(Number), format: 'PDF' };
    expect(outcome).toEqual({ workflowId, outcome: 'done', ...file, emailed: true });
  });
});

describe('gangway statement monthly', () => {
  const newKey = () => `books-${randomUUID()}`;
  const scheduleOf = (key: string) => rig.client.schedule.getHandle(`statements-${key}`);

  it('creates a schedule, and changes it under the same key', async () => {
    const key = newKey();
    const plan = ['monthly', key, '--account', 'fa-501-1'];
    expect(await gangway(plan)).toEqual({
      code: 0,
      stdout: `statements-${key} created: next run ${month(NEXT_MONTH)}-01 12:00 UTC\n`,
      stderr: '',
    });
    const email = 'books@example.com';
    const more = ['fa-501-2', '--format', 'qbo', '--email', email, '--day', '28', '--hour', '0'];
    expect(jsonLines(await gangway([...plan, ...more, '--json']))).toEqual([
      {
        ...{ created: false, key, scheduleId: `statements-${key}`, accounts: ['fa-501-1', 'fa-501-2'] },
        ...{ format: 'QBO', email, paused: false, lastWorkflowId: null },
        nextRunAt: expect.stringMatching(/^\d{4}-\d\d-28T00:00:00\.000Z$/),
      },
    ]);
    const { action, policies } = await scheduleOf(key).describe();
    expect(policies).toMatchObject({ overlap: 'BUFFER_ALL', catchupWindow: 7 * 86_400_000 });
    const request = { period: 'previous-month', fileFormat: 'QBO', email };
    expect(action).toMatchObject({
      ...{ workflowType: 'partnerOperation', workflowId: `operation-statement-${key}` },
      ...{ taskQueue: rig.taskQueue, args: [{ operation: 'statement', request }] },
    });
    await scheduleOf(key).delete();
  });

  it('saves one now with run, which list shows', async () => {
    const key = newKey();
    await gangway(['monthly', key, '--account', 'fa-501-1']);
    const { stdout } = await gangway(['run', key]);
    const workflowId = stdout.replace(/^started /, '').trimEnd();
    expect(workflowId).toMatch(new RegExp(`^operation-statement-${key}-\\d{4}-`));
    expect(await new Onboarding(rig.client, workflowId).outcome()).toMatchObject({
      outcome: 'done',
      fileName: `${month(LAST_MONTH)}-fa-501-1.pdf`,
    });
    const row = new RegExp(`^${key} +fa-501-1 +PDF +\\d{4}-\\d\\d-01 12:00 UTC +${workflowId}$`, 'm');
    await eventually(
      async () => (await gangway(['list'])).stdout,
      (listed) => row.test(listed),
      'the schedule with its run',
    );
    await scheduleOf(key).delete();
  });

  it('encrypts a schedule with the first key when it is saved again, as in a rotation', async () => {
    const key = newKey();
    const [old, latest] = [generatePayloadKey(), generatePayloadKey()];
    const withKeys = (keys: string, args: readonly string[]) =>
      runGangway({ ...rig.env, PAYLOAD_KEYS: keys }, ['statement', ...args]);
    const row = (text: string) =>
      eventually(
        async () => (await withKeys(latest, ['list'])).stdout,
        (listed) => new RegExp(`^${key} +${text} +\\d{4}-`, 'm').test(listed),
        text,
      );
    const plan = ['monthly', key, '--account', 'fa-501-1'];
    await withKeys(`${old},${latest}`, plan);
    await row('key not in PAYLOAD_KEYS');
    await withKeys(`${latest},${old}`, plan);
    await row('fa-501-1 +PDF');
    await scheduleOf(key).delete();
  });

  it('changes what a paused schedule does, leaves it paused, and deletes it with stop', async () => {
    const key = newKey();
    const plan = ['monthly', key, '--account', 'fa-501-1'];
    await gangway(plan);
    const schedule = scheduleOf(key);
    await schedule.pause('the books are closed');
    expect((await gangway(plan)).stdout).toBe(`statements-${key} changed: it is paused\n`);
    expect((await schedule.describe()).state).toMatchObject({ paused: true, note: 'the books are closed' });
    expect(jsonLines(await gangway(['stop', key, '--json']))).toEqual([
      { scheduleId: `statements-${key}`, stopped: true },
    ]);
    const stderr = `there is no schedule of statements "${key}"\n`;
    for (const command of ['stop', 'run'])
      expect(await gangway([command, key])).toEqual({ code: 1, stdout: '', stderr });
  });
});
