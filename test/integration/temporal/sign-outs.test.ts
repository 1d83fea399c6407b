import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { hasEnded, recordSignOut } from '../../../src/temporal/sign-outs.js';
import { gangway } from '../../rigs/command.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const { client, env } = await sharedRig();
// The consoles of other tests have sign-outs, too.
const taskQueue = randomUUID();

const session = () => ({ csrf: randomUUID(), actor: `Ada (${randomUUID()})`, since: Date.now() });

it('a sign-out holds without a worker, and the server ends it when the session would have ended', async () => {
  const [own, other] = [session(), session()];
  expect(await hasEnded(client, own)).toBe(false);
  await recordSignOut(client, own, taskQueue, 1_000);
  expect([await hasEnded(client, own), await hasEnded(client, other)]).toEqual([true, false]);
  expect(await hasEnded(client, { ...other, actor: own.actor })).toBe(false);

  const query = `WorkflowType = 'consoleSignOut' AND TaskQueue = '${taskQueue}-console'`;
  const listed = async () => {
    const rows = [];
    for await (const { workflowId, status } of client.workflow.list({ query }))
      rows.push({ workflowId, status: status.name });
    return rows;
  };
  const rows = await eventually(listed, ([row]) => row?.status === 'TIMED_OUT', 'the end of a sign-out');
  expect(rows).toEqual([
    { workflowId: expect.stringMatching(/^console-sign-out-[0-9a-f]{64}$/), status: 'TIMED_OUT' },
  ]);
  expect(rows[0]?.workflowId).not.toContain(own.csrf);
  const { events } = await client.workflow.getHandle(rows[0]?.workflowId ?? '').fetchHistory();
  // No worker ever gets a task.
  expect(events).toHaveLength(2);
  // A clock may be slow: the session of a copied cookie has not ended there.
  expect(await hasEnded(client, own)).toBe(true);
});

it('the end of a person’s sessions ends each one that began before it, and none that began after it', async () => {
  const [one, two] = [session(), session()];
  const second = { ...one, csrf: randomUUID(), actor: one.actor.replace('Ada', 'Ada Park') };
  await recordSignOut(client, { actor: one.actor }, randomUUID());
  const ended = (...all: (typeof one)[]) => Promise.all(all.map((each) => hasEnded(client, each)));
  const later = { ...one, csrf: randomUUID(), since: Date.now() + 1_000 };
  expect(await ended(one, second, two, later)).toEqual([true, true, false, false]);
  // Again, by the command, while the first record runs.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const id = /\((.*)\)/.exec(one.actor)?.[1] ?? '';
  const stdout = `sessions of ${id} end with their next request\n`;
  expect(await gangway(env, ['console-sessions', 'end', one.actor])).toMatchObject({ code: 0, stdout });
  expect(await ended(one, later, { ...one, since: Date.now() + 1_000 })).toEqual([true, true, false]);
});
