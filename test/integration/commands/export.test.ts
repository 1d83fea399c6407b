import { createHash } from 'node:crypto';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { ExportedRecord } from '../../../src/reports/record.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { business, customer, holder, merchant, OWNER } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig } from '../../rigs/rig.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();
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

/** A boarded merchant: one note answered with a document, one with a text. */
async function boarded(): Promise<Onboarding> {
  const boarding = await rig.board(merchant('notes'));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  const [check, share] = requirements.map(({ id }) => id);
  const file = join(folder, 'voided-check.txt');
  await writeFile(file, CHECK);
  const who = ['--actor', 'olga', '--reason', 'the merchant sent it'];
  await gangway('resolve', boarding.workflowId, check ?? '', '--document', file, ...who);
  await gangway('resolve', boarding.workflowId, share ?? '', '--text', 'One in ten, says 078-05-1120.');
  await boarding.outcome();
  return boarding;
}

describe('gangway export', () => {
  it('lists who answered what, when and why, which calls were made, and the hash of each document', async () => {
    const { workflowId } = await boarded();
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
    expect(onboarding.requirements).toMatchObject([
      {
        id: byDocument?.requirementId,
        status: 'answered',
        detail: 'Please send a voided check for the deposit account.',
      },
      { id: byText?.requirementId, status: 'answered', detail: 'What share of sales is keyed in by hand?' },
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
        answered: [byDocument?.requirementId],
        sentBy: [upload?.number],
        sha256: createHash('sha256').update(CHECK).digest('hex'),
        bytes: CHECK.length,
      },
    ]);
  });

  it('shows a call that the partner rejected, and a correction as old and new values, masked', async () => {
    const input = business(undefined, { holder: holder(undefined, { ssn: '078051120' }) });
    const onboarding = await rig.onboardBusiness({ ...input, beneficialOwners: [OWNER] });
    const refused = await onboarding.requirement('rejected-input');
    const patch = { holder: { ssn: '123456780', city: 'Troy' } };
    await onboarding.resolve(refused.id, { kind: 'correction', patch }, 'olga', 'a typo in 078051120');
    await onboarding.outcome();
    const { stdout } = await gangway('export', onboarding.workflowId);
    const { onboarding: record } = JSON.parse(stdout) as ExportedRecord;
    const given = { requirementId: refused.id, actor: 'olga', takenBack: false };
    expect(record.corrections).toMatchObject([
      { ...given, field: 'holder.ssn', old: '[Redacted]', new: '[Redacted]' },
      { ...given, field: 'holder.city', old: 'Albany', new: 'Troy' },
    ]);
    expect(record.calls.filter(({ operation }) => operation === 'submitHolder')).toMatchObject([
      { result: 'rejected' },
      { result: 'done' },
    ]);
    const { email, givenName, phone, streetAddress, ssn } = input.holder;
    for (const value of [
      email,
      givenName,
      phone,
      streetAddress,
      ssn,
      '078051120',
      '123456780',
      OWNER.firstName,
    ])
      expect(stdout).not.toContain(`"${value}`);
    expect(record.answers).toMatchObject([{ actor: 'olga', reason: 'a typo in [Redacted]' }]);
    expect(stdout).not.toContain('078051120');
  });

  it('shows private values only to a person who gives a reason, and reports who and why', async () => {
    const input = business();
    const { workflowId, ...onboarding } = await startedBusiness(input);
    await onboarding.outcome;
    const refused = await gangway('export', workflowId, '--with-private-values');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe('--with-private-values needs --reason, which the document records\n');
    const why = ['--with-private-values', '--reason', 'audit of 2026', '--actor', 'olga'];
    const { code, stdout, stderr } = await gangway('export', workflowId, ...why);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`^\\S+Z olga exports ${workflowId} with private values, because: audit of 2026\n$`),
    );
    const record = JSON.parse(stdout) as ExportedRecord;
    expect(record).toMatchObject({ privateValues: 'shown', exportedBy: 'olga', reason: 'audit of 2026' });
    expect(record.onboarding.input).toEqual(input);
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

  it('names who cancelled, and a call whose result was not recorded by then', async () => {
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

describe('gangway export without a worker', () => {
  it('has answers, calls and open requirements from the history, and notes that it does', async () => {
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
          return JSON.parse(stdout) as ExportedRecord;
        }),
      );
      const { onboarding } = ended as ExportedRecord;
      expect(onboarding).toMatchObject({
        source: 'history',
        facts: {
          stage: 'boarded',
          mid: expect.stringMatching(/^\d+$/),
          merchantProfileId: expect.any(Number),
        },
        requirements: [{ status: 'answered' }, { status: 'answered' }],
        answers: [{ actor: 'olga' }, { actor: 'olga' }],
      });
      expect(onboarding.notes[0]).toMatch(/^The workflow itself did not respond \(.*\), so facts, timeline/);
      expect(onboarding.timeline.map(({ event }) => event)).toEqual(
        expect.arrayContaining([
          'started',
          'stage-changed',
          'status-changed',
          'requirement-resolved',
          'ended',
        ]),
      );
      expect(onboarding.calls.map(({ operation }) => operation)).toContain('requestUnderwritingReview');
      const question = { status: 'open', kind: 'underwriting-note', dueAt: expect.any(String) };
      expect(open?.onboarding).toMatchObject({
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
});

describe('the page of gangway export', () => {
  const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'';

  it('escapes every text, and only its owner can read the file', async () => {
    const input = business(undefined, {
      holder: holder(undefined, {
        doingBusinessAsName: HOSTILE,
        legalBusinessName: HOSTILE,
        ssn: '078051120',
      }),
    });
    const onboarding = await rig.onboardBusiness(input);
    const { id } = await onboarding.requirement('rejected-input');
    const patch = { holder: { city: HOSTILE } };
    await onboarding.resolve(id, { kind: 'correction', patch }, HOSTILE, HOSTILE);
    const file = join(folder, 'hostile.html');
    const why = ['--with-private-values', '--reason', HOSTILE, '--actor', HOSTILE];
    const { code, stderr } = await gangway('export', onboarding.workflowId, '--html', file, ...why);
    expect(code, stderr).toBe(0);
    const page = await readFile(file, 'utf8');
    expect(page).toContain(`&lt;script>alert(1)&lt;/script>&lt;img src=x onerror=alert(2)>&quot;'`);
    expect(page).not.toMatch(/<script|<img|<[^>]*onerror/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

async function startedBusiness(input: ReturnType<typeof business>) {
  const onboarding = await rig.onboardBusiness(input);
  return { workflowId: onboarding.workflowId, outcome: onboarding.outcome() };
}
