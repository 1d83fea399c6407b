import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentStore } from '../../../../src/partners/documents/document-store.js';
import { folder as folderStore } from '../../../../src/platform/documents/file-store.js';
import { countingProxy } from '../../../rigs/counting-proxy.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { holderOf, merchantOf, ownersOf } from '../../../rigs/privacy/marked-inputs.js';
import { found, type Markers, markers } from '../../../rigs/privacy/markers.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';

/** Boards a merchant whose underwriter asks twice, and onboards a business with owners about which the bank asks. */
async function live(rig: Rig, marked: Markers) {
  const boarding = await rig.board({
    ...merchant(),
    merchant: merchantOf(marked, `${marked.dba} [notes]`),
    application: { remark: marked.application },
  });
  const onboarding = await rig.onboardBusiness({
    ...business(),
    holder: holderOf(marked, marked.ssn, `${marked.dba} [ticket]`),
    beneficialOwners: ownersOf(marked),
  });
  const { requirements } = await boarding.until(({ requirements: all }) => all.length === 2, 'two notes');
  const [first, second] = requirements;
  await boarding.resolve(first?.id ?? '', { kind: 'text', text: marked.noteAnswer });
  const store = documentStore(folderStore(rig.documentDir));
  const document = await store.put(`${marked.reason}.pdf`, Buffer.from(`%PDF-1.7 ${marked.legalName} %%EOF`));
  await boarding.resolve(second?.id ?? '', { kind: 'documents', documents: [document] });
  const ticket = await onboarding.requirement('ticket');
  await onboarding.resolve(ticket.id, { kind: 'text', text: marked.ticketAnswer });
  const outcomes = await Promise.all([boarding.outcome(), onboarding.outcome()]);
  const statuses = await Promise.all(
    [boarding, onboarding].map(async (each) => (await each.state()).partnerStatus),
  );
  return { outcomes, statuses, questions: requirements.map(({ detail }) => detail) };
}

describe('a recording of a boarding with notes and documents, and of a business with owners', () => {
  const marked = markers();
  const folder = shared(async (until) => {
    const value = await mkdtemp(join(tmpdir(), 'gangway-recording-'));
    until(() => rm(value, { recursive: true, force: true }));
    return join(value, 'recording');
  });
  let first: Awaited<ReturnType<typeof live>>;
  let tokens: Record<string, string>;
  let files: { readonly name: string; readonly bytes: Buffer; readonly mode: number }[];

  beforeAll(async () => {
    const { password, deviceToken: _ } = marked;
    const rig = await createRig({ worker: false, sandbox: { password } });
    const bank = await countingProxy(rig.sandbox.url, rig.atClose);
    await rig.startWorker({ record: folder(), password, bankingPassword: password, bankingUrl: bank.url });
    first = await live(rig, marked);
    const seen = bank.seen().flatMap(({ authorization = '' }) => authorization.split(' ')[1] ?? []);
    tokens = Object.fromEntries([...new Set(seen)].map((token, index) => [`token ${index + 1}`, token]));
    await rig.close();
    files = await Promise.all(
      (await readdir(folder())).map(async (name) => {
        const path = join(folder(), name);
        return { name, bytes: await readFile(path), mode: (await stat(path)).mode & 0o777 };
      }),
    );
  });

  it('has no private value and no credential of either', () => {
    expect(Object.keys(tokens).length).toBeGreaterThan(0);
    expect(files.length).toBeGreaterThan(15);
    const hits = files.flatMap(({ name, bytes }) =>
      found(Buffer.concat([Buffer.from(name), bytes]), { ...marked, ...tokens }).map(
        (hit) => `${hit} in ${name}`,
      ),
    );
    expect(hits).toEqual([]);
    const questions = ['voided check', 'What share of sales', 'The phone number is not in service'];
    expect(first.questions.join()).toContain(questions[0]);
    for (const text of questions) expect(files.filter(({ bytes }) => bytes.includes(text))).toEqual([]);
    for (const { bytes } of files) expect(bytes.toString()).not.toMatch(/authorization|Basic |Bearer /i);
  });

  it('is one HAR file for each exchange, which only its owner reads', async () => {
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
    for (const { name, bytes, mode } of files) {
      expect([name, mode]).toEqual([expect.stringMatching(/^\d{8}T\d{6}\.\d{3}Z-.*\.har$/), 0o600]);
      const { log } = JSON.parse(bytes.toString());
      expect([name, log.version, log.entries.length]).toEqual([name, '1.2', 1]);
    }
  });

  it('keeps IDs, statuses and the sizes of documents', () => {
    const text = Buffer.concat(files.map(({ bytes }) => bytes)).toString();
    const [{ merchantProfileId }] = first.outcomes as unknown as [{ merchantProfileId: number }];
    expect(text).toContain(`/api/v1/merchant/status?id=${merchantProfileId}`);
    const statuses = ['"status":"Pending"', '"status":"Approved"', '"bankingStatus":"PendingUW"'];
    const lacking = statuses.filter((status) => !text.includes(JSON.stringify(status).slice(1, -1)));
    expect(lacking).toEqual([]);
    expect(text).toMatch(
      new RegExp(`"comment": "${15 + marked.legalName.length} bytes, keyed hash [0-9a-f]{64}"`),
    );
  });
});
