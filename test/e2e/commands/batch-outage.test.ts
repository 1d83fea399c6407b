import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { type DevServer, startDevServer } from '../../../src/temporal/dev-server.js';
import {
  dataConverter,
  generatePayloadKey,
  payloadKeys as keysFrom,
} from '../../../src/temporal/payload-codec.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { startGangway } from '../../rigs/command.js';
import { executions, merchantsFile } from '../../rigs/commands/files.js';
import { createRig, type Rig } from '../../rigs/rig.js';

/** A server of its own that keeps its data over a restart, and a file of this many merchants. */
async function withServer(
  count: number,
  test: (stage: {
    readonly rig: Rig;
    readonly file: string;
    readonly ids: readonly string[];
    stop(): Promise<void>;
    restart(): Promise<void>;
    connected<T>(what: (client: Client) => Promise<T>): Promise<T>;
  }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const databaseFile = join(folder, 'temporal.db');
  let server: DevServer = await startDevServer({ databaseFile });
  const { address } = server;
  const port = Number(address.split(':')[1]);
  const payloadKeys = generatePayloadKey();
  const connected = async <T>(what: (client: Client) => Promise<T>) => {
    const connection = await Connection.connect({ address });
    try {
      // Lists of workflows have an encrypted memo.
      return await what(
        new Client({ connection, dataConverter: dataConverter(keysFrom.parse(payloadKeys)) }),
      );
    } finally {
      await connection.close();
    }
  };
  await connected(registerSearchAttributes);
  const rig = await createRig({ address, payloadKeys, worker: false });
  try {
    await test({
      rig,
      ...(await merchantsFile(rig, count)),
      connected,
      stop: () => server.stop(),
      async restart() {
        server = await startDevServer({ port, databaseFile });
      },
    });
  } finally {
    await rig.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

it(
  'a run continues after a restart of Temporal: all are started, none twice',
  () =>
    withServer(100, async ({ rig, file, ids, stop, restart, connected }) => {
      const running = startGangway(rig.env, ['batch', file, '--rate', '40', '--yes']);
      await running.printsLines(20);
      await stop();
      await running.says('Temporal does not respond; trying again');
      await restart();
      const { code, stdout } = await running.finished;
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((line) => /^\d+ merchant-boarding-/.test(line))).toHaveLength(100);
      expect(stdout).toMatch(/^100 rows: /m);
      const found = await connected((client) => executions(client, rig.taskQueue, 100));
      expect(found.map(({ workflowId }) => workflowId).sort()).toEqual(ids.toSorted());
    }),
  120_000,
);

it(
  'a run gives up when Temporal stays unavailable, and can be continued later',
  () =>
    withServer(60, async ({ rig, file, ids, stop, restart, connected }) => {
      const running = startGangway(rig.env, [
        'batch',
        file,
        '--rate',
        '40',
        '--give-up-after',
        '2s',
        '--yes',
      ]);
      await running.printsLines(10);
      await stop();
      const { code, stdout, stderr } = await running.finished;
      expect(code).toBe(4);
      expect(stdout).toMatch(/^60 rows: \d+ started, \d+ not started$/m);
      expect(stderr).toBe(
        'Temporal does not respond; trying again\n' +
          'gave up, because Temporal does not respond (--give-up-after)\n' +
          'run the same command again: it continues from here and starts nothing twice\n',
      );
      await restart();
      const again = await startGangway(rig.env, ['batch', file, '--yes']).finished;
      expect(again).toMatchObject({ code: 0, stderr: '' });
      const found = await connected((client) => executions(client, rig.taskQueue, 60));
      expect(found.map(({ workflowId }) => workflowId).sort()).toEqual(ids.toSorted());
    }),
  120_000,
);
