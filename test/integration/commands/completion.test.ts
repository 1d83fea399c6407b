import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../rigs/command.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { business } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import type { RunningWorker } from '../../rigs/worker.js';

let rig: Rig;
let worker: RunningWorker;
beforeAll(async () => {
  // Candidates are those of a whole server.
  rig = await createRig({ ownNamespace: true, worker: false });
  worker = await rig.startWorker();
});
afterAll(() => rig.close());

/** The candidates for a line, each with its description, once Temporal has responded within a second. */
function candidates(line: string): Promise<string[][]> {
  return eventually(
    () => candidatesNow(line),
    (found) => found.length > 0,
    `candidates for ${line}`,
  );
}

async function candidatesNow(line: string): Promise<string[][]> {
  const { code, stdout, stderr } = await runGangway(rig.env, ['complete', 'zsh', '--', line]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((candidate) => candidate.split('\t'));
}

describe('completion with live values', () => {
  it('suggests the onboardings that a command can be about, with dba, stage and what to do', async () => {
    const { boarding, externalId } = await waitingBoarding(rig);
    const input = business();
    await (await rig.onboardBusiness(input)).listed();
    const { dba } = await boarding.state();
    const [found] = await candidates(`gangway resolve ${externalId.slice(0, -2)}`);
    expect(found).toEqual([externalId, `${dba}, underwriting, answer note`]);
    const all = (await candidates('gangway status ')).map(([name]) => name);
    expect(all).toEqual(expect.arrayContaining([externalId, input.externalId]));
    expect((await candidates('gangway resolve ')).map(([name]) => name)).not.toContain(input.externalId);
  });

  it('suggests the open requirements of the onboarding before it, without a worker', async () => {
    const { boarding, externalId } = await waitingBoarding(rig);
    const { requirements } = await boarding.state();
    await worker.stop();
    const found = await candidates(`gangway resolve ${externalId} `);
    expect(found.map(([id]) => id).sort()).toEqual(requirements.map(({ id }) => id).sort());
    expect(found[0]?.[1]).toBe('answer note');
  });
});
