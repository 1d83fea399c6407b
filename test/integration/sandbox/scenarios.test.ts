import { describe, expect, it } from 'vitest';
import { type RunningSandbox, runSandbox } from '../../rigs/sandbox/running-sandbox.js';
import { shared } from '../../rigs/shared.js';

const PLACEHOLDER: Readonly<Record<string, string>> = {
  TEMP: 'temporary mid',
  'MID ': 'unclear mid',
  '5180': 'mid',
};

/** Describes a read: status, comment, mid and notes. */
async function look(sandbox: RunningSandbox, id: number): Promise<string> {
  const read = async <T>(line: string) => (await sandbox.call(`${line}?id=${id}`)).json<{ data: T }>().data;
  const { status, comment, mid } = await read<Record<'status' | 'comment' | 'mid', string | null>>(
    'GET /api/v1/merchant/status',
  );
  const notes = await read<unknown[]>('GET /api/v1/merchant/underwritingNotes');
  const seen = [
    status,
    comment && `"${comment}"`,
    mid && (PLACEHOLDER[mid.slice(0, 4)] ?? mid),
    notes.length > 0 && `${notes.length} notes`,
  ];
  return seen.filter(Boolean).join(', ');
}

const SUBMIT = 'submit';
const REVIEW = 'review';

/**
 * Each scenario at a pace of one step per read: the status after each call, then one line per read. Later reads repeat the last
 * line.
 */
const SCENES: Readonly<Record<string, readonly string[]>> = {
  straight: [SUBMIT, 'Pending', 'Approved', 'Approved, mid'],
  notes: [
    SUBMIT,
    'Pending',
    'Pending, 2 notes',
    'Pending, 2 notes',
    REVIEW,
    'Pending Review',
    'Approved',
    'Approved, mid',
  ],
  'more-notes': [
    SUBMIT,
    'Pending',
    'Pending, 1 notes',
    REVIEW,
    'Pending Review',
    'Pending, 1 notes',
    REVIEW,
    'Pending Review',
    'Approved',
    'Approved, mid',
  ],
  'same-note': [
    SUBMIT,
    'Pending',
    'Pending, 1 notes',
    REVIEW,
    'Pending Review',
    'Pending, 1 notes',
    REVIEW,
    'Pending Review',
    'Approved',
    'Approved, mid',
  ],
  'notes-on-hold': [
    SUBMIT,
    'Pending',
    'Pending, 2 notes',
    'On Hold, 2 notes',
    'Pending, 2 notes',
    'Pending, 2 notes',
    REVIEW,
    'Pending Review',
    'Approved',
    'Approved, mid',
  ],
  'approved-by-mistake': [
    SUBMIT,
    'Pending',
    'Pending, 2 notes',
    'Approved',
    'Pending, 2 notes',
    'Pending, 2 notes',
    REVIEW,
    'Pending Review',
    'Approved',
    'Approved, mid',
  ],
  'moot-notes': [SUBMIT, 'Pending', 'Pending, 2 notes', 'Approved', 'Approved, mid'],
  'request-changes': [
    SUBMIT,
    'Pending',
    'RequestChanges, "The annual card volume does not match the statements."',
    'RequestChanges, "The annual card volume does not match the statements."',
    SUBMIT,
    'Pending',
    'Approved',
    'Approved, mid',
  ],
  declined: [SUBMIT, 'Pending', 'Declined, "Business type is not supported."'],
  withdrawn: [SUBMIT, 'Pending', 'Withdrawn, "Withdrawn on request of the merchant."'],
  closed: [SUBMIT, 'Pending', 'Closed, "Closed by the sponsor bank."'],
  'uw-level-1': [
    SUBMIT,
    'Pending',
    'UW Level 1',
    'UW Level 1: Pending, 1 notes',
    REVIEW,
    'UW Level 1: Pending Review',
    'Approved',
    'Approved, mid',
  ],
  'temporary-mid': [SUBMIT, 'Pending', 'Pending, temporary mid', 'Approved', 'Approved, mid'],
  'unclear-mid': [SUBMIT, 'Pending', 'Approved', 'Approved, unclear mid', 'Approved, mid'],
  'conditionally-approved': [SUBMIT, 'Pending', 'Conditionally Approved', 'Approved', 'Approved, mid'],
  'unknown-status': [SUBMIT, 'Pending', 'Escalated to Committee', 'Approved', 'Approved, mid'],
  'restless-date': [SUBMIT, 'Pending'],
  waiting: [SUBMIT, 'Pending'],
};

const CALLS: Readonly<Record<string, string>> = {
  [SUBMIT]: 'POST /api/v1/merchant/submit',
  [REVIEW]: 'POST /api/v1/merchant/underwritingReview',
};

describe('every scenario', () => {
  const running = shared((until) => runSandbox({}, until));

  it('that the sandbox lists is in the table', async () => {
    const sandbox = running();
    const { merchants } = await sandbox.control<{ merchants: { name: string }[] }>('GET /sandbox/scenarios');
    expect(merchants.map(({ name }) => name).sort()).toEqual(Object.keys(SCENES).sort());
  });

  it.each(Object.entries(SCENES))('plays %s', async (name, scene) => {
    const sandbox = running();
    const id = await sandbox.create(`Corner Bakery [${name}]`);
    expect(await look(sandbox, id)).toBe('Not Submitted');
    const played: string[] = [];
    let justCalled = false;
    for (const line of scene) {
      const call = CALLS[line];
      if (call) {
        expect((await sandbox.call(`${call}?id=${id}`)).status).toBe(200);
        played.push(line);
      } else if (justCalled) {
        // The controls show it without counting as a read.
        played.push((await sandbox.control<{ status: string }>(`GET /sandbox/merchants/${id}`)).status);
      } else {
        played.push(await look(sandbox, id));
      }
      justCalled = call !== undefined;
    }
    expect(played).toEqual(scene);
    expect(await look(sandbox, id), 'the last line stays').toBe(scene.at(-1));
  });
});

describe('a note that is asked again', () => {
  const notes = async (sandbox: RunningSandbox, id: number) => {
    const reply = await sandbox.call(`GET /api/v1/merchant/underwritingNotes?id=${id}`);
    return reply.json<{ data: unknown[] }>().data;
  };

  it('is the same note: text, author and date', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create('Corner Bakery [same-note]');
    await sandbox.call(`${CALLS[SUBMIT]}?id=${id}`);
    await look(sandbox, id);
    const asked = await notes(sandbox, id);
    await sandbox.call(`${CALLS[REVIEW]}?id=${id}`);
    expect(await notes(sandbox, id)).toEqual([]);
    await look(sandbox, id);
    expect(await notes(sandbox, id)).toEqual(asked);
    expect(asked).toHaveLength(1);
  });
});

describe('a magic value', () => {
  const running = shared((until) => runSandbox({}, until));

  const create = (sandbox: RunningSandbox, dba: string) =>
    sandbox.call(
      'POST /api/v2/merchant/create',
      `{"cashDiscount":"No","firstName":"A","lastName":"B","dba":"${dba}","pos":"None","agentProfileId":101}`,
    );

  it.each(['[declnied]', '[]', '[Notes]', '[constructor]'])(
    'that is unknown, %s, is refused by name',
    async (magic) => {
      const sandbox = running();
      const before = await sandbox.effects();
      const { status, text } = await create(sandbox, `Bakery ${magic}`);
      expect(status).toBe(400);
      const [problem] = JSON.parse(text).validationResults;
      expect(problem.memberNames).toEqual(['dba']);
      expect(problem.errorMessage).toContain(`unknown magic value ${magic}`);
      expect(problem.errorMessage).toContain('GET /sandbox/scenarios');
      expect(await sandbox.effects()).toEqual(before);
    },
  );

  it.each(['[declined] Bakery', 'Bakery (declined)', 'Bakery'])(
    'is not found in %s: the straight scenario plays',
    async (dba) => {
      const sandbox = running();
      const id = Number(JSON.parse((await create(sandbox, dba)).text).data.merchantProfileId);
      await sandbox.call(`${CALLS[SUBMIT]}?id=${id}`);
      expect(await look(sandbox, id)).toBe('Approved');
    },
  );
});

describe('what the state does not allow', () => {
  const running = shared((until) => runSandbox({}, until));

  it.each([
    ['a review before the submission', [], REVIEW],
    ['a second submission', [SUBMIT], SUBMIT],
    ['a second review', [SUBMIT, REVIEW], REVIEW],
  ])('is refused and changes nothing: %s', async (_, before, refused) => {
    const sandbox = running();
    const id = await sandbox.create('Bakery [waiting]');
    for (const call of before) await sandbox.call(`${CALLS[call]}?id=${id}`);
    const effects = await sandbox.effects();
    expect((await sandbox.call(`${CALLS[refused]}?id=${id}`)).status).toBe(400);
    expect(await sandbox.effects()).toEqual(effects);
  });
});

describe('calls of an administrator', () => {
  it('set any status, and UW Level 1: Pending from any (apis/2, States)', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create('Bakery [waiting]');
    const update = '{"status":"CR:POS Equipment","comment":"out of stock"}';
    await sandbox.call(`POST /api/v1/merchant/updateStatus?id=${id}`, update);
    expect(await look(sandbox, id)).toBe('CR:POS Equipment, "out of stock"');
    await sandbox.call(`POST /api/v1/merchant/underwritingPending?id=${id}`);
    expect(await look(sandbox, id)).toMatch(/^UW Level 1: Pending/);
  });
});
