import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { batchFile, ndjson } from '../../../rigs/commands/files.js';
import { relayedGangway } from '../../../rigs/commands/relayed.js';
import { merchant } from '../../../rigs/inputs.js';
import { jsonLines, run } from '../../../rigs/processes.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

let rig: Rig;
let relayed: string;
beforeAll(async () => {
  // Scripts answer notes of all merchants of an agent, and report on all onboardings.
  rig = await createRig({ ownNamespace: true });
  relayed = await relayedGangway(rig.atClose);
});
afterAll(() => rig.close());

/** The built command. One script runs it, and a chaos run another one. */
const BUILT = { GANGWAY: `${process.execPath} dist/starter.js` };

/** Runs a script. Its progress, which a slow machine prints, is left out. */
const script = async (
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) => {
  const ended = await run(`examples/scripts/${name}.sh`, args, {
    ...rig.env,
    GANGWAY: relayed,
    ...env,
  });
  return { ...ended, stderr: ended.stderr.replace(/^\.\.\. .*\n/gm, '') };
};

/** A merchant with two notes, once the inbox lists them. */
async function withNotes(agentProfileId: number, dueInHours = 48) {
  const input = merchant('notes', { agentProfileId, dueInHours });
  const boarding = await rig.board(input);
  const ofIt = async () => {
    const items = jsonLines(await gangway(rig.env, ['inbox', '--agent', String(agentProfileId), '--json']));
    return items.filter(({ workflowId }) => workflowId === boarding.workflowId).map(({ id }) => String(id));
  };
  await expect.poll(ofIt).toHaveLength(2);
  return { boarding, id: boarding.workflowId, notes: await ofIt() };
}

it.each(['board-and-wait', 'answer-notes', 'answer-uncertain-writes', 'overdue-report'])(
  '%s.sh prints its help, and exits 0',
  async (name) => {
    const helped = await script(name, ['--help']);
    expect(helped).toMatchObject({ code: 0, stderr: '' });
    for (const part of [/^[A-Z].+[.:]\n/, `\n  ${name}.sh `, 'Exit code: 0 '])
      expect(helped.stdout).toMatch(part);
    expect(helped.stdout).not.toMatch(/^set |^#/m);
    expect(await script(name, ['-h'])).toEqual(helped);
  },
);

/** What a script prints, in any order. */
const linesOf = ({ stdout }: { readonly stdout: string }) => stdout.trimEnd().split('\n').sort();

const USAGE = { code: 2, stderr: expect.stringMatching(/^usage: /) };

describe('board-and-wait.sh', () => {
  it('boards the example file, prints each outcome, and exits 1 when one is not boarded', async () => {
    const ended = await script('board-and-wait', ['examples/merchants.csv'], BUILT);
    expect(linesOf(ended)).toEqual([
      expect.stringMatching(/^2 elm-florist boarded 5180\d+$/),
      expect.stringMatching(/^3 pine-cycles boarded 5180\d+$/),
      '4 oak-antiques declined -',
    ]);
    expect(ended.code).toBe(1);
  });

  it('accepts the options of batch, and exits 0 when all are boarded', async () => {
    const args = ['examples/crm-export.csv', '--delimiter', ';', '--mapping', 'examples/mapping.json'];
    const ended = await script('board-and-wait', args);
    expect(linesOf(ended)).toEqual([
      expect.stringMatching(/^2 000123 boarded 5180\d+$/),
      expect.stringMatching(/^3 000124 boarded 5180\d+$/),
    ]);
    expect(ended.code).toBe(0);
  });

  it('exits 2 when the file is invalid', async () => {
    const file = await batchFile(rig, 'rows.ndjson', ndjson([{ ...merchant(), agentProfileId: 'x' }]));
    const { code, stdout, stderr } = await script('board-and-wait', [file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${file}:1: agentProfileId: `);
    expect(await script('board-and-wait')).toMatchObject(USAGE);
  });
});

describe('answer-notes.sh', () => {
  it('answers every note of the agent’s merchants, and no other', async () => {
    const [one, two, other] = await Promise.all([withNotes(101), withNotes(101), withNotes(102)]);
    const answer = ['--document', 'examples/voided-check.txt', '--reason', 'the agent sent it'];
    const ended = await script('answer-notes', ['101', ...answer]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(ended)).toEqual(
      [one, two].flatMap(({ id, notes }) => notes.map((note) => `${id}: ${note} answered`)).sort(),
    );
    for (const { boarding } of [one, two])
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { timeline } = await one.boarding.state();
    expect(timeline.filter(({ reason }) => reason === 'the agent sent it')).toHaveLength(2);
    expect((await other.boarding.state()).requirements).toHaveLength(2);
    await other.boarding.handle.terminate();
  });

  it('exits 1 when an answer is rejected, and 2 without an answer', async () => {
    const { boarding, id, notes } = await withNotes(102);
    const rejected = await script('answer-notes', ['102', '--text', '']);
    expect(rejected).toMatchObject({
      code: 1,
      stderr: '--text: must be a text, and not empty\n'.repeat(2),
    });
    expect(linesOf(rejected)).toEqual(notes.toSorted().map((note) => `${id}: ${note} is not answered`));
    expect((await boarding.state()).requirements).toHaveLength(2);
    expect(await script('answer-notes', ['102'])).toMatchObject(USAGE);
    await boarding.handle.terminate();
  });
});

describe('answer-uncertain-writes.sh', () => {
  it('leaves what the ledger has twice to a person, and exits 1; 2 without the sandbox', async () => {
    const input = merchant();
    await rig.sandbox.plan('500-after-commit', 'create-merchant');
    const doubled = await rig.board(input);
    await doubled.requirement('uncertain-write');
    const isListed = async () =>
      (await gangway(rig.env, ['inbox', '--json'])).stdout.includes(doubled.workflowId);
    await expect.poll(isListed).toBe(true);
    const again = { guid: input.externalId, agentProfileId: 101 };
    await fetch(`${rig.sandbox.url}/api/v2/merchant/create`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`,
      },
      body: JSON.stringify({ ...merchant().merchant, ...again }),
    });
    const { code, stdout } = await script('answer-uncertain-writes', [rig.sandbox.url]);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `${doubled.workflowId} uncertain-write-1 is not answered\n`,
    });
    expect((await doubled.state()).requirements).toHaveLength(1);
    expect(await script('answer-uncertain-writes')).toMatchObject(USAGE);
    await doubled.handle.terminate();
  });
});

describe('overdue-report.sh', () => {
  it('exits 0 when nothing is overdue, and 3 with a line for each overdue requirement', async () => {
    const nothing = await withNotes(102);
    expect(await script('overdue-report')).toEqual({ code: 0, stdout: '', stderr: '' });
    const csvHead = 'due (UTC),hours overdue,workflow,requirement,kind\n';
    expect(await script('overdue-report', ['--csv'])).toEqual({ code: 0, stdout: csvHead, stderr: '' });

    const { boarding, id, notes } = await withNotes(101, 0.000_1);
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
    const lines = (line: (note: string) => string) =>
      notes.toSorted().map((note) => expect.stringMatching(new RegExp(`^${line(note)}$`)));
    const text = await eventually(
      () => script('overdue-report'),
      ({ code }) => code !== 0,
      'an overdue note',
    );
    expect(text).toMatchObject({ code: 3, stderr: '' });
    expect(linesOf(text)).toEqual(lines((note) => `${time} UTC  0 h  ${id}  ${note}  underwriting-note`));
    const csv = await script('overdue-report', ['--csv']);
    expect([csv.code, csv.stdout.slice(0, csvHead.length)]).toEqual([3, csvHead]);
    const rows = { stdout: csv.stdout.slice(csvHead.length) };
    expect(linesOf(rows)).toEqual(lines((note) => `${time},0,${id},${note},underwriting-note`));
    await Promise.all([boarding.handle.terminate(), nothing.boarding.handle.terminate()]);
  });

  it('exits 4 when Temporal is unavailable, and 2 for an unknown option', async () => {
    const unavailable = await script('overdue-report', [], { TEMPORAL_ADDRESS: '127.0.0.1:9' });
    expect(unavailable).toMatchObject({ code: 4, stderr: expect.stringContaining('cannot reach Temporal') });
    expect(await script('overdue-report', ['--json'])).toMatchObject({ code: 2, stdout: '' });
  });
});
