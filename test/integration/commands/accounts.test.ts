import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { destinationOf } from '../../../src/events/sender.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { ndjson } from '../../rigs/commands/files.js';
import { SECRET, subscriber } from '../../rigs/events/subscriber.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const crm = await subscriber(SECRET, afterAll);
const events = { secrets: [SECRET], toLoopback: true, destinations: [destinationOf(crm.url)] };
// "gangway events list" lists those of the whole namespace.
const rig = await createRig({ accounts: ['acme', 'north-iso'], events, ownNamespace: true });
afterAll(() => rig.close());
/** The settings of a person who has only the names of the accounts. */
const env = { ...rig.env, GANGWAY_ACCOUNTS: 'acme,north-iso' };

const gangway = (...args: readonly string[]) => runGangway(env, args);

/** The same merchant in the account without a name and in acme, each with two open notes, and the ids of the notes in acme. */
async function twins() {
  const input = merchant('notes');
  const nameless = await rig.board(input);
  const acmes = await rig.board({ ...input, account: 'acme' });
  const asks = (each: Onboarding) => each.until((state) => state.requirements.length === 2, 'two notes');
  const [, { requirements }] = await Promise.all([asks(nameless), asks(acmes)]);
  const [note = '', other = ''] = requirements.map(({ id }) => id);
  return { externalId: input.externalId, nameless, acmes, note, other };
}

describe('an externalId in two accounts', () => {
  it('is rejected by every command that takes an id, until the account is named', async () => {
    const { externalId, nameless, acmes, note, other } = await twins();
    const ids = `${nameless.workflowId}, ${acmes.workflowId}`;
    const commands = [
      ['status', externalId],
      ['watch', externalId],
      ['nudge', externalId],
      ['cancel', externalId, '--yes'],
      ['resolve', externalId, note, '--text', 'here'],
    ];
    for (const args of commands) {
      expect([args[0], await gangway(...args)]).toEqual([
        args[0],
        {
          code: 1,
          stdout: '',
          stderr: `"${externalId}" may mean ${ids}: give the whole workflow id\n`,
        },
      ]);
    }
    const inAcme = ['--partner-account', 'acme', '--json'];
    const statusOf = async (...args: readonly string[]) => {
      const { stdout } = await gangway('status', ...args);
      return /^workflow +(.*)$/m.exec(stdout)?.[1];
    };
    expect(await statusOf(externalId, '--partner-account', 'acme')).toBe(acmes.workflowId);
    expect(await statusOf(`${externalId}@acme`)).toBe(acmes.workflowId);
    expect(await statusOf(acmes.workflowId)).toBe(acmes.workflowId);
    expect(await statusOf(nameless.workflowId)).toBe(nameless.workflowId);
    expect((await gangway('status', acmes.workflowId)).stdout).toMatch(/^partner account +acme$/m);
    expect((await gangway('status', nameless.workflowId)).stdout).not.toContain('partner account');

    const answered = await gangway('resolve', externalId, note, '--text', 'here', ...inAcme);
    expect(jsonLines(answered)).toMatchObject([{ workflowId: acmes.workflowId, open: 1 }]);
    expect((await nameless.state()).requirements).toHaveLength(2);
    await gangway('resolve', `${externalId}@acme`, other, '--text', 'here');
    expect(await acmes.outcome()).toMatchObject({ outcome: 'boarded' });

    expect((await gangway('watch', externalId, '--partner-account', 'acme')).code).toBe(0);
    expect((await gangway('cancel', nameless.workflowId, '--yes')).code).toBe(0);
    await expect(nameless.outcome()).rejects.toThrow();
    expect((await gangway('nudge', `${externalId}@acme`)).stderr).toMatch(
      new RegExp(`^${acmes.workflowId} has ended: boarded, mid \\d+\n$`),
    );
  });

  it('is rejected with an unknown account, and with another account than that of the id', async () => {
    expect(await gangway('status', 'm-1', '--partner-account', 'south')).toMatchObject({
      code: 2,
      stderr:
        'm-1: is not valid; nothing was done\n  --partner-account: must be one of GANGWAY_ACCOUNTS: acme, north-iso\n',
    });
    expect(
      await gangway('cancel', 'merchant-boarding-m-1@acme', '--partner-account', 'north-iso'),
    ).toMatchObject({
      code: 2,
      stderr: '--partner-account north-iso: merchant-boarding-m-1@acme belongs to account acme\n',
    });
    expect(await gangway('status', `${randomUUID()}@acme`)).toMatchObject({ code: 1 });
  });

  it('has its events sent again for one account only', async () => {
    const { externalId, nameless, acmes } = await twins();
    const list = async (...args: readonly string[]) => {
      const lines = jsonLines<{ event: { subject: string } }>(
        await gangway('events', 'list', ...args, '--json'),
      );
      return lines.map(({ event }) => event.subject);
    };
    const of = ({ workflowId }: Onboarding) => Array.from({ length: 5 }, () => workflowId);
    await eventually(
      () => list(externalId),
      (subjects) => subjects.length === 10,
      'the events of both',
    );
    expect(await list(externalId, '--partner-account', 'acme')).toEqual(of(acmes));
    expect(await list(nameless.workflowId)).toEqual(of(nameless));
    const all = await list('--partner-account', 'acme');
    expect(all).toEqual(expect.arrayContaining(of(acmes)));
    expect(all.filter((subject) => !subject.endsWith('@acme'))).toEqual([]);
    const refused = await gangway('events', 'redeliver', externalId, '--all');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^"m-.*" may mean .*: give --partner-account, or the whole workflow id\n$/,
    );
    const sent = await gangway('events', 'redeliver', `${externalId}@acme`, '--all');
    expect(sent.stdout).toContain('sending 5 again');
    expect(sent.stdout).not.toContain(`${nameless.workflowId} `);
    await Promise.all([nameless, acmes].map(({ handle }) => handle.terminate()));
  });
});

describe('a batch', () => {
  it('starts the same externalId once in each account, and rejects it twice in one', async () => {
    const input = merchant('waiting');
    const rows = [input, { ...input, account: 'acme' }];
    const file = (all: readonly object[]) =>
      runGangway(env, ['batch', '-', '--format', 'ndjson'], ndjson(all));
    const resultsOf = async (all: readonly object[]) =>
      (await file(all)).stdout.trimEnd().split('\n').slice(0, 2).sort();
    const id = `merchant-boarding-${input.externalId}`;
    expect(await resultsOf(rows)).toEqual([`1 ${id} started`, `2 ${id}@acme started`]);
    expect(await resultsOf(rows)).toEqual([`1 ${id} attached`, `2 ${id}@acme attached`]);
    expect((await file([...rows, rows[1] ?? {}])).stderr).toContain(
      'standard input:3: externalId: is the same as in line 2\n',
    );
  });
});

describe('statements', () => {
  it('of the same key have one schedule in each account', async () => {
    const key = `books-${randomUUID()}`;
    const plan = ['statement', 'monthly', key, '--account', 'fa-501-1'];
    const scheduleId = `statements-${key}`;
    expect((await gangway(...plan)).stdout).toContain(`${scheduleId} created: `);
    const planned = jsonLines(await gangway(...plan, '--partner-account', 'acme', '--json'));
    expect(planned).toMatchObject([
      { created: true, key, scheduleId: `${scheduleId}@acme`, partnerAccount: 'acme' },
    ]);
    for (const command of ['run', 'stop']) {
      expect(await gangway('statement', command, key)).toEqual({
        code: 1,
        stdout: '',
        stderr: `"${key}" may mean ${scheduleId}, ${scheduleId}@acme: give --partner-account, or the whole id\n`,
      });
    }
    const run = await gangway('statement', 'run', key, '--partner-account', 'acme');
    const workflowId = run.stdout.replace(/^started /, '').trimEnd();
    expect(workflowId).toMatch(new RegExp(`^operation-statement-${key}@acme-\\d{4}-`));
    expect(await rig.client.workflow.getHandle(workflowId).result()).toMatchObject({ outcome: 'done' });
    await eventually(
      async () => (await gangway('statement', 'list')).stdout,
      (listed) => listed.includes(`${key}@acme `) && listed.includes(`${key} `),
      'both schedules',
    );
    const stop = async (...args: readonly string[]) => (await gangway('statement', 'stop', ...args)).stdout;
    expect(await stop(`${key}@acme`)).toBe(
      `${scheduleId}@acme deleted; a statement in progress is still saved\n`,
    );
    expect(await stop(key)).toBe(`${scheduleId} deleted; a statement in progress is still saved\n`);
  });
});
