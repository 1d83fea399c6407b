import { describe, expect, it } from 'vitest';
import { FAMILIES, HABITS } from '../../../../src/apps/sandbox/habits/habits.js';
import { bankingClient } from '../../../../src/partners/banking/client.js';
import { boardingClient } from '../../../../src/partners/boarding/client.js';
import { byHand } from '../../../../src/partners/by-hand.js';
import { PartnerError } from '../../../../src/partners/partner-error.js';
import { type RunningSandbox, runSandbox } from '../../../rigs/sandbox/running-sandbox.js';

const SWITCH = 'POST /sandbox/habits';
const has = (sandbox: RunningSandbox, ...habits: string[]) =>
  sandbox.control(SWITCH, JSON.stringify({ habits }));

/** Sent within a connection, so the simulation, which has none, cannot show them. */
const ON_THE_WIRE = [
  ['chunked-without-end', 'unreadable'],
  ['length-too-long', 'unreadable'],
  ['length-too-short', 'unreadable'],
  ['http-1.0', 'Not Submitted'],
  ['closes-in-silence', 'Not Submitted'],
] as const;

const statusAt = async ({ url }: RunningSandbox, id: number): Promise<string> => {
  const client = byHand(boardingClient({ url, username: 'sandbox', password: 'sandbox' }));
  return client.getStatus({ id }).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof PartnerError ? 'unreadable' : String(error)),
  );
};

it.each(ON_THE_WIRE)('%s: a status over HTTP reads as %s, three times in a row', async (habit, seen) => {
  const sandbox = await runSandbox();
  const id = await sandbox.create();
  await has(sandbox, habit);
  for (let time = 0; time < 3; time += 1) expect(await statusAt(sandbox, id)).toBe(seen);
  await has(sandbox);
  expect(await statusAt(sandbox, id), 'once it is mended').toBe('Not Submitted');
});

it.each([
  ['byte-order-mark', 'efbbbf7b22'],
  ['gzip', '1f8b08'],
  ['utf16', 'fffe7b0022'],
  ['white-space', '0d0a2009'],
  ['against-hijacking', '295d7d27'],
])('%s: the bytes of a response begin with %s', async (habit, first) => {
  const sandbox = await runSandbox();
  const id = await sandbox.create();
  await has(sandbox, habit);
  const headers = { authorization: 'Basic c2FuZGJveDpzYW5kYm94', 'accept-encoding': 'identity' };
  const { request } = await import('undici');
  const { body } = await request(`${sandbox.url}/api/v1/merchant/status?id=${id}`, { headers });
  expect(Buffer.from(await body.arrayBuffer()).toString('hex')).toMatch(new RegExp(`^${first}`));
  expect(await statusAt(sandbox, id)).toBe(habit === 'against-hijacking' ? 'unreadable' : 'Not Submitted');
});

describe('the controls', () => {
  it('list every habit with what it does and where it was seen, and which are on', async () => {
    const sandbox = await runSandbox();
    await has(sandbox, 'same-email', 'gzip');
    const { active, habits } = await sandbox.control<{ active: string[]; habits: object }>(
      'GET /sandbox/habits',
    );
    expect(active).toEqual(['same-email', 'gzip']);
    expect(Object.keys(habits)).toEqual(Object.keys(HABITS));
  });

  it.each([
    ['{"habits":["nobody"]}', 'habits.0'],
    ['{}', 'habits'],
    [JSON.stringify({ habits: Array(21).fill('gzip') }), 'habits'],
  ])('refuse %s, name the field, and change nothing', async (body, field) => {
    const sandbox = await runSandbox();
    await has(sandbox, 'gzip');
    const { status, text } = await sandbox.call(SWITCH, body, 'nobody');
    expect([status, JSON.parse(text).fields[0].field]).toEqual([400, field]);
    expect(await sandbox.control('GET /sandbox/habits')).toMatchObject({ active: ['gzip'] });
  });

  it('have at least forty, in nine families, each name once', () => {
    const names = Object.values(FAMILIES).flatMap((habits) => Object.keys(habits));
    expect(Object.keys(FAMILIES)).toHaveLength(9);
    expect(names.length).toBeGreaterThanOrEqual(40);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('two habits', () => {
  it('are both had, and a header names those that mattered', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create();
    await has(sandbox, 'status-shouted', 'created', 'gzip');
    const client = byHand(boardingClient({ url: sandbox.url, username: 'sandbox', password: 'sandbox' }));
    expect(await client.getStatus({ id })).toMatchObject({ status: 'NOT SUBMITTED' });
    const { headers } = await fetch(`${sandbox.url}/api/v1/merchant/status?id=${id}`, {
      headers: { authorization: 'Basic c2FuZGJveDpzYW5kYm94' },
    });
    expect(headers.get('sandbox-habits')).toBe('status-shouted gzip');
  });

  it('have an empty memory each time they are switched on', async () => {
    const sandbox = await runSandbox();
    const create = async () => {
      const body =
        '{"cashDiscount":"No","firstName":"A","lastName":"B","dba":"C","pos":"None","agentProfileId":101,"email":"a@example.com"}';
      const { text } = await sandbox.call('POST /api/v2/merchant/create', body);
      return Number(/"merchantProfileId":(\d+)/.exec(text)?.[1]);
    };
    await has(sandbox, 'same-email');
    const first = await create();
    expect(await create()).toBe(first);
    expect(await sandbox.effects()).toHaveLength(1);
    await has(sandbox, 'same-email');
    expect(await create()).toBe(first + 1);
  });
});

it.each(['limit-without-time', 'retry-at-date', 'retry-in-past'])(
  '%s: of five calls each time, the last one is refused, but not twice in a row',
  async (habit) => {
    const sandbox = await runSandbox();
    const id = await sandbox.create();
    await has(sandbox, habit);
    const headers = { authorization: 'Basic c2FuZGJveDpzYW5kYm94' };
    const statusOf = async (path: string) => {
      const { status } = await fetch(`${sandbox.url}/api/v1/merchant/${path}?id=${id}`, { headers });
      return status < 400;
    };
    const last: boolean[] = [];
    for (let time = 0; time < 4; time += 1) {
      for (let call = 1; call < 5; call += 1) expect(await statusOf('status')).toBe(true);
      last.push(await statusOf('underwritingNotes'));
    }
    expect(last).toEqual([false, true, false, true]);
  },
);

it('one session for each user: of two clients that take turns, each signs in again, and both read', async () => {
  const sandbox = await runSandbox();
  await has(sandbox, 'one-session');
  const who = { url: sandbox.url, username: 'sandbox', password: 'sandbox', form: 'user' } as const;
  const clients = ['one', 'other'].map((deviceName) =>
    byHand(bankingClient({ ...who, deviceToken: 'sandbox-device', deviceName })),
  );
  for (let turn = 0; turn < 2; turn += 1)
    for (const client of clients) expect(await client.getProfile({ id: 501 })).toMatchObject({ id: 501 });
});
