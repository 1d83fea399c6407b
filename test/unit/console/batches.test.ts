import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Batches, checkedFile } from '../../../src/console/batches.js';
import type { Console } from '../../../src/console/route.js';
import { loadConsoleSettings } from '../../../src/console/settings.js';
import type { Visitor } from '../../../src/console/visitor.js';
import { merchant } from '../../rigs/inputs.js';

const NOON = '2026-01-31T12:00:00.000Z';
const at = (time: string) => vi.setSystemTime(new Date(time));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOON) });
  onTestFinished(() => void vi.useRealTimers());
});

const person = (actor: string, accounts?: readonly string[]) => ({ actor, accounts }) as Visitor;
const [OLGA, PETE] = [person('olga'), person('pete')];
const MIB = 1024 * 1024;

/** A checked file without rows, for these accounts. */
const file = (accounts: readonly (string | undefined)[] = [undefined], bytes = MIB) => ({
  ...{ name: 'rows.csv', accounts: new Set(accounts), bytes },
  validation: { rows: 0 } as never,
  rows: async function* () {},
});

/** Starts a batch, and waits for its end. */
async function run(batches: Batches, id: string) {
  batches.start(CONSOLE, id, OLGA, 20);
  const batch = batches.find(id, OLGA);
  while (batch.state === 'running') await setImmediate();
  return batch;
}

const CONSOLE = { client: {}, settings: { taskQueue: 'q', dbaForm: 'shown' } } as unknown as Console;
const NONE = 'This console has no such batch.';

describe('a checked file', () => {
  it('is its owner’s alone until it is started; then everybody sees it who sees all of its accounts', async () => {
    const batches = new Batches();
    const { id } = batches.hold(OLGA, file(['north', undefined]));
    const seers = [OLGA, PETE, person('n', ['north', '']), person('s', ['north']), person('o', [''])];
    const who = () => seers.filter((each) => batches.of(each).length === 1).map(({ actor }) => actor);
    expect(who()).toEqual(['olga']);
    for (const act of [() => batches.find(id, PETE), () => batches.start(CONSOLE, id, PETE, 20)])
      expect(act).toThrow(NONE);
    expect((await run(batches, id)).state).toBe('done');
    expect(who()).toEqual(['olga', 'pete', 'n']);
    expect(() => batches.stop(id, person('s', ['north']))).toThrow(NONE);
  });

  it('stays its owner’s under another name', () => {
    const batches = new Batches();
    const { id } = batches.hold(person('Ada Park (ada-17)'), file());
    const renamed = person('Ada Moss (ada-17)');
    expect(batches.find(id, renamed).id).toBe(id);
    expect(() => batches.find(id, person('Ada Park (eve-3)'))).toThrow(NONE);
    const next = batches.hold(renamed, file());
    expect(batches.of(renamed)).toEqual([next]);
  });

  it.each([
    ['2026-01-31T12:15:00.000Z', true],
    ['2026-01-31T12:15:00.001Z', false],
  ])('from noon on is there at %s: %s', (now, isThere) => {
    const batches = new Batches();
    batches.hold(OLGA, file());
    at(now);
    expect(batches.of(OLGA)).toHaveLength(isThere ? 1 : 0);
  });

  it('replaces the one before of the same person, and nothing that has started', async () => {
    const batches = new Batches();
    const first = batches.hold(OLGA, file());
    const petes = batches.hold(PETE, file());
    const second = batches.hold(OLGA, file());
    expect(batches.of(OLGA)).toEqual([second]);
    expect(() => batches.find(first.id, OLGA)).toThrow(NONE);
    expect(batches.find(petes.id, PETE)).toBe(petes);
    batches.start(CONSOLE, second.id, OLGA, 20);
    const third = batches.hold(OLGA, file());
    expect(batches.of(OLGA)).toEqual([third, second]);
    await batches.end();
  });

  it('is refused when 64 MiB are held, and accepted again when one has been read', async () => {
    const batches = new Batches();
    const { id } = batches.hold(OLGA, file([undefined], 16 * MIB));
    batches.hold(PETE, file([undefined], 48 * MIB));
    const ada = person('ada');
    expect(() => batches.hold(ada, file([undefined], 1))).toThrow('Too many files are held');
    // The second file of a person takes the place of the first one.
    batches.hold(PETE, file([undefined], 48 * MIB));
    await run(batches, id);
    batches.hold(ada, file([undefined], 16 * MIB));
  });
});

describe('a batch', () => {
  it.each([
    ['2026-02-01T12:00:00.000Z', true],
    ['2026-02-01T12:00:00.001Z', false],
  ])('that ended at noon is shown at %s: %s', async (now, isShown) => {
    const batches = new Batches();
    const { id } = batches.hold(OLGA, file());
    const ended = { state: 'done', startedAt: new Date(NOON), endedAt: new Date(NOON) };
    expect(await run(batches, id)).toMatchObject(ended);
    batches.stop(id, OLGA);
    expect(await run(batches, id)).toMatchObject(ended);
    at(now);
    expect(batches.of(OLGA)).toHaveLength(isShown ? 1 : 0);
  });

  it('gives way to newer ones: the last 50 that ended are shown, the newest first', async () => {
    const batches = new Batches();
    const ids: string[] = [];
    for (let i = 0; i < 51; i += 1) {
      const { id } = await run(batches, batches.hold(OLGA, file()).id);
      ids.unshift(id);
    }
    expect(batches.of(OLGA).map(({ id }) => id)).toEqual(ids.slice(0, 50));
  });
});

it('rows of an account that a person may not use are not valid, and neither are those without an account', async () => {
  const settings = loadConsoleSettings({
    GANGWAY_ACCOUNTS: 'north,south',
    DOCUMENT_DIR: '/dev/null/documents',
  });
  const rows = ['north', 'south', undefined].map((account) =>
    merchant(undefined, account ? { account } : {}),
  );
  const bytes = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  const checkedFor = async (accounts: string[]) => {
    const visitor = person('olga', accounts);
    const checked = await checkedFile({ settings, visitor }, { name: 'rows.jsonl', bytes }, {});
    return [checked.validation.problems.map(({ line, field }) => `${line} ${field}`), [...checked.accounts]];
  };
  expect(await checkedFor(['north'])).toEqual([
    ['2 account', '3 account'],
    ['north', undefined],
  ]);
  expect(await checkedFor(['south', ''])).toEqual([['1 account'], ['south', undefined]]);
});
