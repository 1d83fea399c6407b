import { setTimeout as sleep } from 'node:timers/promises';
import type { Party } from '../../../simulation/cast.js';
import { ONBOARDINGS } from '../../../src/messages/workflow-types.js';
import { KINDS } from '../../../src/temporal/kinds/kinds.js';
import { batchFile, ndjson } from '../commands/files.js';
import { startSpawnedGangway } from '../processes.js';
import { insist } from '../waiting.js';
import type { Sender } from './sender.js';
import type { Stage } from './stage.js';
import type { Weather } from './weather.js';

/**
 * Requests all onboardings, by all ways at the same time, in the first part of the weather, so that each meets some of it.
 *
 * @returns the output of `gangway batch`
 */
export async function startEveryone(
  stage: Stage,
  sender: Sender,
  cast: readonly Party[],
  { lastsMs, kills }: Weather,
): Promise<string> {
  const withinMs = lastsMs * 0.7;
  const killBatchAt = kills.find(({ target }) => target === 'batch')?.at ?? lastsMs;
  const by = (way: Party['by']) => cast.filter((party) => party.by === way);
  const spread = (parties: readonly Party[], start: (party: Party) => Promise<void>) =>
    parties.map(async (party, index) => {
      await sleep((index * withinMs) / parties.length);
      for (let time = 0; time < (party.twice ? 2 : 1); time += 1) await start(party);
    });
  const [printed] = await Promise.all([
    startByBatch(stage, by('batch'), withinMs, killBatchAt),
    ...spread(by('event'), (party) => startByEvent(sender, party)),
    ...spread(by('client'), (party) => startByClient(stage, party)),
  ]);
  return printed;
}

async function startByEvent(sender: Sender, { type, externalId, input }: Party): Promise<void> {
  const status = await sender.send(ONBOARDINGS[type].event, `request-${externalId}`, input);
  if (status !== 202) throw new Error(`the receiver refuses ${externalId} with ${status}`);
}

export async function startByClient({ rig }: Stage, party: Party): Promise<void> {
  const { client, taskQueue } = rig;
  const options = { fourEyes: [], taskQueue, dbaForm: 'masked' } as const;
  await insist(async () => {
    await KINDS[party.type].start(client, party.input as never, options);
  });
}

/** Between two runs of `gangway batch`: longer than a part of the Temporal server is down. */
const PAUSE_MS = 5_000;

/** One run is killed; the same command continues where it stopped. */
async function startByBatch(
  { rig, env }: Stage,
  parties: readonly Party[],
  withinMs: number,
  killAt: number,
): Promise<string> {
  const file = await batchFile(rig, 'everyone.ndjson', ndjson(parties.map(({ input }) => input)));
  const rate = Math.max(0.5, (parties.length * 1_000) / withinMs).toFixed(2);
  const args = ['batch', file, '--rate', rate, '--yes', '--json'];
  const doomed = startSpawnedGangway(env, args);
  await Promise.race([sleep(killAt), doomed.finished]);
  doomed.kill('SIGKILL');
  const runs = [await doomed.finished];
  while (runs.at(-1)?.code !== 0 && runs.length < 5) {
    await sleep(PAUSE_MS);
    runs.push(await startSpawnedGangway(env, args).finished);
  }
  const last = runs.at(-1);
  if (last?.code !== 0) throw new Error(`gangway batch ends with ${last?.code}: ${last?.stderr}`);
  return runs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
}
