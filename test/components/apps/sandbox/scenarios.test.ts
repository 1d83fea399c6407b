import { describe, expect, it } from 'vitest';
import { type RunningSandbox, runSandbox } from '../../../rigs/sandbox/running-sandbox.js';
import { shared } from '../../../rigs/shared.js';

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
    mid?.replace(/^5180\d+$/, 'mid'),
    notes.length > 0 && `${notes.length} notes`,
  ];
  return seen.filter(Boolean).join(', ');
}

const SUBMIT = 'submit';
const REVIEW = 'review';

/** The scenarios that the sandbox lists. test/workflows and the simulation play them. */
const NAMES = [
  'approved-by-mistake',
  'closed',
  'conditionally-approved',
  'declined',
  'superseded-notes',
  'more-notes',
  'notes',
  'notes-on-hold',
  'changes-requested',
  'volatile-date',
  'same-note',
  'straight',
  'temporary-mid',
  'uw-level-1',
  'unclear-mid',
  'unknown-status',
  'waiting',
  'withdrawn',
  'pending-first',
];

/**
 * Scenarios that no workflow plays to its end, at a pace of one step per read: the status after each call, then one line per
 * read. Later reads repeat the last line.
 */
const SCENES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ['notes-on-hold', 'On Hold, 2 notes'],
    ['approved-by-mistake', 'Approved'],
  ].map(([name = '', meanwhile = '']) => [
    name,
    [
      SUBMIT,
      'Pending',
      'Pending, 2 notes',
      meanwhile,
      'Pending, 2 notes',
      'Pending, 2 notes',
      REVIEW,
      'Pending Review',
      'Approved',
      'Approved, mid',
    ],
  ]),
);

const CALLS: Readonly<Record<string, string>> = {
  [SUBMIT]: 'POST /api/v1/merchant/submit',
  [REVIEW]: 'POST /api/v1/merchant/underwritingReview',
};

describe('every scenario', () => {
  const running = shared((until) => runSandbox({}, until));

  it('has its name in the list of the sandbox', async () => {
    const sandbox = running();
    const { merchants } = await sandbox.control<{ merchants: { name: string }[] }>('GET /sandbox/scenarios');
    expect(merchants.map(({ name }) => name).sort()).toEqual(NAMES.toSorted());
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
    const questions = await notes(sandbox, id);
    await sandbox.call(`${CALLS[REVIEW]}?id=${id}`);
    expect(await notes(sandbox, id)).toEqual([]);
    await look(sandbox, id);
    expect(await notes(sandbox, id)).toEqual(questions);
    expect(questions).toHaveLength(1);
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

describe('calls of an administrator', () => {
  it('set any status, and UW Level 1: Pending from any', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create('Bakery [waiting]');
    const update = '{"status":"CR:POS Equipment","comment":"out of stock"}';
    await sandbox.call(`POST /api/v1/merchant/updateStatus?id=${id}`, update);
    expect(await look(sandbox, id)).toBe('CR:POS Equipment, "out of stock"');
    await sandbox.call(`POST /api/v1/merchant/underwritingPending?id=${id}`);
    expect(await look(sandbox, id)).toMatch(/^UW Level 1: Pending/);
  });
});
