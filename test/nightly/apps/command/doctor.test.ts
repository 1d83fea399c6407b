import { hostname } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { generatePayloadKey } from '../../../../src/temporal/payload-codec.js';
import { ownRig, problems, wrong } from '../../../rigs/commands/doctor.js';
import { merchant } from '../../../rigs/inputs.js';
import { launch } from '../../../rigs/processes.js';
import { eventually } from '../../../rigs/waiting.js';

/** test/integration/apps/command/doctor-findings.test.ts has what needs no server and no process of its own. */
describe('doctor finds', () => {
  it('one worker of two that has another key of the same id, and nothing else, however often it is asked', async () => {
    const [first, second] = [generatePayloadKey(), generatePayloadKey()];
    const idOf = (key: string) => key.split(':')[0] ?? '';
    const own = await ownRig({ worker: false, payloadKeys: first });
    const ofKeys = async () => (await problems(own.env)).filter(({ check }) => check === 'keys');
    for (let number = 0; number < 4; number++) await own.board(merchant('waiting'));
    await own.startWorker();
    const differing = { ...own.env, PAYLOAD_KEYS: `${idOf(first)}:${second.split(':')[1]}` };
    const { child, exit } = await launch('worker', differing, 'worker is ready');
    onTestFinished(async () => {
      // A worker that cannot read what it runs takes its time to end.
      child.kill('SIGKILL');
      await exit;
    });
    const finding = wrong(
      'keys',
      `worker ${child.pid}@${hostname()} lacks key ${idOf(first)} of this command, or has another value for it; the value of this command reads 4 running workflows`,
      `correct key ${idOf(first)} in PAYLOAD_KEYS of that worker, and restart it`,
    );
    await eventually(
      () => ofKeys(),
      (all) => all.length > 0,
      'both workers',
    );
    for (let question = 0; question < 5; question++) expect(await ofKeys()).toEqual([finding]);
  });

  it('that standalone activities and updates are off', async () => {
    const dynamicConfig = {
      'activity.enableStandalone': false,
      'frontend.enableUpdateWorkflowExecution': false,
    };
    const own = await ownRig({ server: { dynamicConfig } });
    // The server lists a worker a moment after its first poll.
    expect((await problems(own.env)).filter(({ check }) => check !== 'workers')).toEqual([
      wrong(
        'server features',
        'standalone activities are off, so no worker can make a call or deliver an outbound event',
        'set activity.enableStandalone to true in the dynamic configuration of the server',
      ),
      wrong(
        'server features',
        'updates are off, so nobody can answer a requirement',
        'set frontend.enableUpdateWorkflowExecution to true in the dynamic configuration of the server',
      ),
    ]);
  });
});
