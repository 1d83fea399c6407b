import { createHash } from 'node:crypto';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterEach, describe, expect, it } from 'vitest';
import type { ExportedRecord } from '../../../../src/services/reports/exported-record.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { business, customer, holder, merchant } from '../../../rigs/inputs.js';
import { createRig } from '../../../rigs/rig.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();
afterEach(() => rig.clear());
const folder = await mkdtemp(join(tmpdir(), 'gangway-export-'));

const gangway = (...args: readonly string[]) => runGangway(rig.env, args);

const SCHEMA = JSON.parse(await readFile('docs/export.schema.json', 'utf8'));
const isOfSchema = addFormats.default(new Ajv2020()).compile(SCHEMA);

async function exported(...args: readonly string[]): Promise<ExportedRecord> {
  const { code, stdout, stderr } = await gangway('export', ...args);
  expect(code, stderr).toBe(0);
  const record = JSON.parse(stdout);
  expect(isOfSchema(record), JSON.stringify(isOfSchema.errors)).toBe(true);
  return record;
}

const CHECK = 'bytes of a voided check';

describe('gangway export', () => {
  it('lists who answered what, when and why, which calls were made, and the hash of each document', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { workflowId } = boarding;
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [check = '', share = ''] = requirements.map(({ id }) => id);
    const file = join(folder, 'voided-check.txt');
    await writeFile(file, CHECK);
    const who = ['--actor', 'olga', '--reason', 'the merchant sent it'];
    await gangway('resolve', workflowId, check, '--document', file, ...who);
    await gangway('resolve', workflowId, share, '--text', 'One in ten, says 078-05-1120.');
    await boarding.outcome();
    const { onboarding, ...record } = await exported(workflowId);
    expect(record).toMatchObject({
      format: 'gangway-export',
      version: 1,
      privateValues: 'masked',
      parts: [],
    });
    expect(onboarding).toMatchObject({ workflowId, source: 'worker', notes: [], status: 'completed' });
    expect(onboarding.outcome).toEqual({
      outcome: 'boarded',
      mid: onboarding.facts.mid,
      merchantProfileId: onboarding.facts.merchantProfileId,
    });
    const [byDocument, byText] = onboarding.answers;
    expect(byDocument).toMatchObject({ actor: 'olga', reason: 'the merchant sent it' });
    expect(byText).toMatchObject({ answer: { kind: 'text', text: 'One in ten, says [Redacted].' } });
    const status = 'answered';
    expect(onboarding.requirements).toMatchObject([
      { id: check, status, detail: 'Please send a voided check for the deposit account.' },
      { id: share, status, detail: 'What share of sales is keyed in by hand?' },
    ]);
    const resolved = onboarding.timeline.find(({ actor }) => actor === 'olga');
    expect(resolved).toMatchObject({ event: 'requirement-resolved', reason: 'the merchant sent it' });

    const writes = onboarding.calls.filter(({ operation }) => !/^(await|read)/.test(operation));
    expect(writes).toMatchObject([
      { operation: 'createMerchant', system: 'boarding', attempts: 1, result: 'done' },
      { operation: 'submitMerchant', result: 'done' },
      { operation: 'attachDocument', result: 'done' },
      { operation: 'requestUnderwritingReview', result: 'done' },
    ]);
    for (const { scheduledAt, startedAt = '', endedAt = '' } of writes)
      expect([scheduledAt, startedAt, endedAt]).toEqual([scheduledAt, startedAt, endedAt].sort());
    const upload = writes.find(({ operation }) => operation === 'attachDocument');
    expect(onboarding.documents).toEqual([
      {
        key: expect.stringMatching(/\.txt$/),
        fileName: 'voided-check.txt',
        contentType: 'text/plain',
        answered: [check],
        sentBy: [upload?.number],
        sha256: createHash('sha256').update(CHECK).digest('hex'),
        bytes: CHECK.length,
      },
    ]);
  });

  it('shows private values only to a person who gives a reason, and reports who and why', async () => {
    const input = business(undefined, { holder: holder(undefined, { ssn: '078051120' }) });
    const onboarding = await rig.onboardBusiness(input);
    const { workflowId } = onboarding;
    const { id } = await onboarding.requirement('rejected-input');
    const patch = { holder: { ssn: '123456780', city: 'Troy' } };
    await onboarding.resolve(id, { kind: 'correction', patch }, 'olga', 'a typo');
    await onboarding.outcome();
    expect(await gangway('export', workflowId, '--with-private-values')).toEqual({
      code: 2,
      stdout: '',
      stderr: '--with-private-values needs --reason, which the document records\n',
    });
    const why = ['--with-private-values', '--reason', 'audit of 2026', '--actor', 'olga'];
    const { code, stdout, stderr } = await gangway('export', workflowId, ...why);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`^\\S+Z olga exports ${workflowId} with private values, because: audit of 2026\n$`),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      privateValues: 'shown',
      exportedBy: 'olga',
      reason: 'audit of 2026',
      onboarding: { input },
    });
    const file = join(folder, 'record.html');
    expect(await gangway('export', workflowId, '--html', file, ...why)).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toMatch(/<code>holder\.city<\/code>.*Albany.*Troy/s);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('has a customer together with its parts', async () => {
    const onboarding = await rig.onboard(customer());
    await onboarding.outcome();
    const { onboarding: whole, parts } = await exported(onboarding.workflowId);
    expect(whole).toMatchObject({
      workflowType: 'customerOnboarding',
      facts: { stage: 'onboarded' },
      calls: [],
    });
    expect(parts.map(({ workflowType, status }) => [workflowType, status])).toEqual([
      ['merchantBoarding', 'completed'],
      ['businessOnboarding', 'completed'],
    ]);
    expect(parts.every(({ calls }) => calls.length > 0)).toBe(true);
  });

  it('names who canceled, and a call whose result was not recorded', async () => {
    const boarding = await rig.board(merchant('notes'));
    await boarding.until((state) => state.requirements.length === 2, 'two notes');
    await gangway('cancel', boarding.workflowId, '--yes');
    await boarding.outcome().catch(() => undefined);
    const { onboarding } = await exported(boarding.workflowId);
    const cancelled = onboarding.timeline.find(({ event }) => event === 'cancel-requested');
    expect(cancelled?.actor).toContain(String(process.pid));
    expect(onboarding.requirements).toMatchObject([
      { status: 'closed', closedBecause: 'the onboarding has ended' },
      { status: 'closed', closedBecause: 'the onboarding has ended' },
    ]);
    expect(onboarding.calls.at(-1)).toMatchObject({
      operation: 'awaitStatusChange',
      result: 'not-recorded',
    });
  });
});

it('gangway export without a worker has answers, calls and open requirements from the history, and notes that it does', async () => {
  const alone = await createRig({ address: rig.env['TEMPORAL_ADDRESS'] ?? '', worker: false });
  try {
    const worker = await alone.startWorker();
    const boarding = await alone.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    for (const { id } of requirements) await boarding.resolve(id, { kind: 'text', text: 'An answer.' });
    await boarding.outcome();
    const waiting = await waitingBoarding(alone);
    await worker.stop();
    const [ended, open] = await Promise.all(
      [boarding, waiting.boarding].map(async ({ workflowId }) => {
        const { stdout, stderr } = await runGangway(alone.env, ['export', workflowId]);
        expect(stderr).toBe('');
        return (JSON.parse(stdout) as ExportedRecord).onboarding;
      }),
    );
    const ids = { mid: expect.stringMatching(/^\d+$/), merchantProfileId: expect.any(Number) };
    const EVENTS = ['started', 'stage-changed', 'status-changed', 'requirement-resolved', 'ended'];
    expect(ended).toMatchObject({
      source: 'history',
      facts: { stage: 'boarded', ...ids },
      requirements: [{ status: 'answered' }, { status: 'answered' }],
      answers: [{ actor: 'olga' }, { actor: 'olga' }],
      notes: expect.arrayContaining([
        expect.stringMatching(/^The workflow itself did not respond \(.*\), so facts, timeline/),
      ]),
      timeline: expect.arrayContaining(EVENTS.map((event) => expect.objectContaining({ event }))),
      calls: expect.arrayContaining([expect.objectContaining({ operation: 'requestUnderwritingReview' })]),
    });
    const question = { status: 'open', kind: 'underwriting-note', dueAt: expect.any(String) };
    expect(open).toMatchObject({
      source: 'history',
      facts: { dba: 'Corner Bakery [notes]', stage: 'underwriting' },
      requirements: [
        { ...question, detail: 'Please send a voided check for the deposit account.' },
        { ...question, detail: 'What share of sales is keyed in by hand?' },
      ],
    });
  } finally {
    await alone.close();
  }
});
