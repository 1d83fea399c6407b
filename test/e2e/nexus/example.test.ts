import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startCaller } from '../../rigs/nexus/caller.js';
import { run } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';

it('examples/nexus-caller boards a merchant from another namespace, as its README runs it', async () => {
  const rig = await createRig();
  onTestFinished(() => rig.close());
  const { namespace, endpoint } = await startCaller(rig);
  const folder = await mkdtemp(join(tmpdir(), 'gangway-example-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const signUp = async (change: object) => {
    const merchant = JSON.parse(await readFile('examples/merchant.json', 'utf8'));
    const file = join(folder, `${randomUUID()}.json`);
    await writeFile(file, JSON.stringify({ ...merchant, externalId: `m-${randomUUID()}`, ...change }));
    const { TEMPORAL_ADDRESS = '', PAYLOAD_KEYS = '' } = rig.env;
    return run(process.execPath, ['examples/nexus-caller/main.ts', file], {
      ...{ TEMPORAL_ADDRESS, PAYLOAD_KEYS },
      ...{ TEMPORAL_NAMESPACE: namespace, NEXUS_ENDPOINT: endpoint },
    });
  };
  const { code, stdout, stderr } = await signUp({});
  expect([code, JSON.parse(stdout || '{}')], stderr).toEqual([
    0,
    { mid: expect.stringMatching(/^\d{1,20}$/) },
  ]);
  const wrong = await signUp({ agentProfileId: -7 });
  expect([wrong.code, JSON.parse(wrong.stdout || '{}')], wrong.stderr).toEqual([
    0,
    { wrongInput: expect.stringContaining('agentProfileId: must be an id at the partner, from 1 on') },
  ]);
});
