import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startGangway } from '../../../rigs/command.js';
import { batchFile, ndjson } from '../../../rigs/commands/files.js';
import { business } from '../../../rigs/inputs.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig();

it('a batch keeps nothing private: neither in the document store nor in what Temporal shows', async () => {
  const input = business();
  const file = await batchFile(rig, 'rows.ndjson', ndjson([input]));
  const running = startGangway(rig.env, ['batch', file, '--rate', '0.2']);
  const [, id = ''] =
    (await eventually(
      async () => /"gangway batches (\S+)" follows/.exec(running.stderr()),
      (result) => result !== null,
      'its id',
    )) ?? [];
  const names = (await readdir(rig.documentDir)).filter((name) => name.startsWith(id));
  expect(names).toEqual([`${id}.0.rows`]);
  const stored = await readFile(join(rig.documentDir, `${id}.0.rows`));
  const output = JSON.stringify((await rig.client.workflow.getHandle(id).describe()).raw);
  for (const text of [input.holder.ssn, input.holder.doingBusinessAsName, input.externalId]) {
    expect(stored.includes(text)).toBe(false);
    expect(output).not.toContain(text);
  }
  expect(await running.finished).toMatchObject({ code: 0 });
  await rig.client.workflow.getHandle(id).result();
  const left = (await readdir(rig.documentDir)).filter((name) => name.startsWith(id));
  expect(left).toEqual([`${id}.0.results`]);
});
