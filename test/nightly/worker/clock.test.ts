import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { countingProxy } from '../../rigs/counting-proxy.js';
import { business, merchant } from '../../rigs/inputs.js';
import { launchNode } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { type Scrape, scrape } from '../../rigs/scrape.js';
import { eventually } from '../../rigs/waiting.js';

const TIMEOUT_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Tokens are renewed when four fifths of their life are over. */
const TOKEN_LIFETIME_MS = 4_000;

const JUMPING = fileURLToPath(new URL('../../rigs/clock/jumping.mjs', import.meta.url));
const FILE = join(tmpdir(), `gangway-clock-${process.pid}`);

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({
    worker: false,
    server: {},
    sandbox: { pace: { reads: 1 }, tokenLifetimeMs: TOKEN_LIFETIME_MS },
  });
});
afterAll(async () => {
  await rig.close();
  await rm(FILE, { force: true });
});
beforeEach(() => jump(0));

/** Sets the clocks of the processes that {@link launched} them. */
function jump(ms: number): Promise<void> {
  return writeFile(FILE, `${ms}`);
}

async function launched(env: Record<string, string>) {
  const args = ['--import', JUMPING, 'dist/worker.js'];
  const { stop } = await launchNode(args, { ...rig.env, ...env, CLOCK_FILE: FILE }, 'worker is ready');
  onTestFinished(async () => void (await stop()));
}

describe('a clock that jumps while a process runs', () => {
  it(
    'moves no due date, and renews tokens when they are due, no sooner and no later',
    async () => {
      const bank = await countingProxy(rig.sandbox.url);
      await launched({ BANKING_URL: bank.url });
      const boarding = await rig.board(merchant('notes'));
      const onboarding = await rig.onboardBusiness(business('ticket'));
      const { id: noteId } = await boarding.requirement('underwriting-note');
      const ticket = await onboarding.requirement('ticket');

      for (const ms of [400 * DAY_MS, -6 * HOUR_MS, 6 * HOUR_MS, 0]) {
        await jump(ms);
        expect(await (await rig.board(merchant())).outcome()).toMatchObject({ outcome: 'boarded' });
        expect(await (await rig.onboardBusiness(business())).outcome()).toMatchObject({
          outcome: 'onboarded',
        });
        // 3.6 s, by the clock of the server.
        const urgent = await rig.board(merchant('notes', { dueInHours: 0.001 }));
        const { raisedAt, dueAt } = await urgent.requirement('underwriting-note');
        expect(Date.parse(dueAt) - Date.parse(raisedAt)).toBe(3_600);
        expect(Math.abs(Date.parse(raisedAt) - Date.now())).toBeLessThan(HOUR_MS);
        await urgent.until(
          ({ timeline }) => timeline.some(({ event: name }) => name === 'requirement-overdue'),
          'a requirement that is overdue',
        );
        expect([...(await boarding.events()), ...(await onboarding.events())]).not.toContain(
          'requirement-overdue',
        );
      }

      const tokens = () =>
        bank.seen().filter(({ line, status }) => line.startsWith('POST /api/auth/') && status === 200);
      await eventually(
        async () => tokens().length,
        (count) => count > 3,
        'three renewals of the token',
      );
      const times = tokens().map(({ at }) => at);
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThan(TOKEN_LIFETIME_MS / 2);

      await onboarding.resolve(ticket.id, { kind: 'text', text: 'Corrected.' });
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
      const { requirements } = await boarding.state();
      expect(requirements.map(({ id }) => id)).toContain(noteId);
      for (const { id } of requirements) await boarding.resolve(id, { kind: 'text', text: 'Here it is.' });
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    },
    TIMEOUT_MS,
  );

  it(
    'of a worker an hour ahead hides no worker from it',
    async () => {
      await jump(HOUR_MS);
      const address = `127.0.0.1:${await freePort()}`;
      await launched({ GANGWAY_METRICS_ADDRESS: address });
      const workers = (await eventually(
        () => scrape(`http://${address}/metrics`),
        (metrics) => metrics('gangway_temporal_reachable') === 1,
        'the first count',
      )) as Scrape;
      const ofWorkflows = { task_queue: rig.taskQueue, task_type: 'workflow' };
      // Those of the last minute count.
      expect(workers('gangway_task_queue_workers', ofWorkflows)).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
