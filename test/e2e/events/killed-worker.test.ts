import { expect, it, onTestFinished } from 'vitest';
import { SECRET, subscriber } from '../../rigs/events/subscriber.js';
import { merchant } from '../../rigs/inputs.js';
import { launch } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

it('a subscriber gets all events although the worker is killed', async () => {
  const crm = await subscriber();
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const env = {
    ...rig.env,
    EVENTS_URLS: crm.url,
    EVENTS_SECRETS: SECRET,
    EVENTS_TO_LOOPBACK: 'true',
  };
  const worker = await launch('worker', env, 'worker is ready');
  const boardings = await Promise.all([1, 2, 3, 4, 5].map(() => rig.board(merchant())));
  await eventually(
    async () => crm.received.length,
    (count) => count >= 7,
    'seven events',
  );
  worker.child.kill('SIGKILL');
  await worker.exit;
  const next = await launch('worker', env, 'worker is ready');
  onTestFinished(async () => {
    next.child.kill('SIGTERM');
    await next.exit;
  });
  // A write that was under way when the worker was killed is a requirement now.
  await Promise.all(
    boardings.map(async (boarding) => {
      const { requirements } = await eventually(
        () => boarding.state(),
        ({ outcome, requirements }) => outcome !== undefined || requirements.length > 0,
        'an outcome or a requirement',
        60_000,
      );
      for (const { id } of requirements) await boarding.resolve(id, { kind: 'abandon' });
    }),
  );
  const ends = () => crm.received.filter(({ type }) => type === 'onboarding.completed.v1');
  await eventually(
    async () => new Set(ends().map(({ data }) => data['workflowId'])).size,
    (size) => size === boardings.length,
    'the end of each',
    60_000,
  );
  for (const { id } of ends()) {
    const [run, last] = id.split('.');
    const all = Array.from({ length: Number(last) }, (_, index) => `${run}.${index + 1}.`);
    await eventually(
      async () => crm.received.map((event) => event.id),
      (ids) => all.every((each) => ids.some((received) => received.startsWith(each))),
      `all events up to ${id}`,
      // The server gives up a delivery that was under way after half a minute.
      60_000,
    );
  }
  const bodies = new Map(crm.received.map(({ id, body }) => [id, body]));
  for (const { id, body } of crm.received) expect(body).toBe(bodies.get(id));
});
