import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { hasSignedOut, recordSignOut } from '../../../src/console/session.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const { client } = await sharedRig();
// The consoles of other tests have sign-outs, too.
const taskQueue = randomUUID();

it('a sign-out holds without a worker, and the server ends it when the session would have ended', async () => {
  const [session, other] = [randomUUID(), randomUUID()];
  expect(await hasSignedOut(client, session)).toBe(false);
  await recordSignOut(client, { session, until: Date.now() + 1_000, taskQueue });
  expect([await hasSignedOut(client, session), await hasSignedOut(client, other)]).toEqual([true, false]);
  // Twice, as by a second click.
  await recordSignOut(client, { session, until: Date.now() + 1_000, taskQueue });

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
  expect(rows[0]?.workflowId).not.toContain(session);
  const { events } = await client.workflow.getHandle(rows[0]?.workflowId ?? '').fetchHistory();
  // No worker ever gets a task.
  expect(events).toHaveLength(2);
  // A clock may be slow: the session of a copied cookie has not ended there.
  expect(await hasSignedOut(client, session)).toBe(true);
  await recordSignOut(client, { session, until: Date.now() + 60_000, taskQueue });
  expect(await listed()).toHaveLength(1);
});
