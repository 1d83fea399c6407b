import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { launch, run } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ worker: false });
});
afterAll(() => rig.close());

const failing = (settings: Record<string, string>) =>
  run(process.execPath, ['dist/worker.js'], { ...rig.env, ...settings });

describe('the worker process', () => {
  let ready: Response;
  let log: string;
  let ended: number | null;
  // One life, looked at from several sides: two ways to create a merchant, and a note that is abandoned.
  beforeAll(async () => {
    const env = { ...rig.env, GANGWAY_LOG_LEVEL: 'trace' };
    const worker = await launch('worker', env, 'worker is ready');
    const url = /"health":"([^"]+)"/.exec(worker.stderr())?.[1];
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
    ready = await fetch(`${url}/readyz`);
    const deprecated = () => ({ ...merchant(), createVersion: 'v1' as const });
    const inputs = [merchant(), deprecated(), deprecated()];
    const boardings = await Promise.all(inputs.map((input) => rig.board(input)));
    const waiting = await rig.board(merchant('notes'));
    const { id } = await waiting.requirement('underwriting-note');
    await waiting.resolve(id, { kind: 'abandon' });
    await waiting.outcome();
    for (const boarding of boardings) expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    worker.child.kill('SIGTERM');
    ended = await worker.exit;
    log = worker.stderr();
  });

  it('is ready while it takes tasks, works, and ends with 0 on SIGTERM', async () => {
    expect([ready.status, await ready.json()]).toEqual([200, { worker: 'RUNNING', temporal: 'ready' }]);
    expect(ended).toBe(0);
    expect(log).toContain('worker has stopped');
  });

  it('logs JSON lines, and neither the password nor the merchant', () => {
    const lines = log.split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('worker is ready');
    // "sandbox:sandbox" in Base64, and what the input holds.
    for (const secret of ['c2FuZGJveDpzYW5kYm94', 'Ada', 'Baker"']) expect(log).not.toContain(secret);
  });

  it('names the dba next to the workflow', () => {
    const lines = log.split('\n').filter(Boolean);
    const named = lines.map((line) => JSON.parse(line)).filter(({ dba }) => dba === 'Corner Bakery [notes]');
    const types = new Set(named.map(({ activityType }) => activityType));
    expect([...types]).toEqual(expect.arrayContaining([undefined, 'createMerchant', 'awaitStatusChange']));
  });

  it('logs once, as JSON, that an operation is deprecated', () => {
    const lines = log.split('\n').filter(Boolean);
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ warning }) => warning);
    expect(warnings).toMatchObject([
      {
        level: 40,
        warning: 'DeprecationWarning',
        msg: 'boarding create-merchant-v1 is deprecated: use create-merchant (v2)',
      },
    ]);
  });

  it('says that the setup is missing, in a namespace without the search attributes', async () => {
    const namespace = `bare-${randomUUID()}`;
    const create = ['operator', 'namespace', 'create', '--namespace', namespace];
    await run(inject('temporalCli'), [...create, '--address', rig.env['TEMPORAL_ADDRESS'] ?? ''], {});
    const { child, exit, stderr } = await launch(
      'worker',
      { ...rig.env, TEMPORAL_NAMESPACE: namespace },
      'worker is ready, but no onboarding can start, because search attributes are missing: run',
    );
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(stderr()).toContain('"missing":["Dba",');
  });

  it.concurrent.each([
    [{ GANGWAY_POLL_MAX: 'long' }, 2, 'GANGWAY_POLL_MAX: must be a duration such as 200ms, 1m or 1h\n'],
    [{ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 1, 'cannot reach Temporal at 127.0.0.1:1 (TEMPORAL_ADDRESS)\n'],
    [{ GANGWAY_HEALTH_ADDRESS: '192.0.2.1:80' }, 2, /^GANGWAY_HEALTH_ADDRESS: listen EADDRNOTAVAIL.*\n$/],
  ])('with %o ends at once with one line that has the reason', async (settings, code, line) => {
    const ended = await failing(settings);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(line);
    expect(ended.stderr.split('\n')).toHaveLength(2);
  });
});
