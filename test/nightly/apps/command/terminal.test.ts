import { describe, expect, it } from 'vitest';
import { idOf, inputFile, merchantsFile } from '../../../rigs/commands/files.js';
import { merchant } from '../../../rigs/inputs.js';
import { run } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { gangwayAtTerminal } from '../../../rigs/terminal.js';

const rig = await sharedRig();

describe('batch at a terminal', () => {
  it('shows a bar below the lines, with the rate and the remaining time, and clears it at the end', async () => {
    const { file, ids } = await merchantsFile(rig, 20, 'waiting');
    const batch = gangwayAtTerminal(`batch ${file} --rate 10`, rig.env);
    const { code, screen } = await batch.finished;
    expect(code).toBe(0);
    expect(batch.stdout()).toMatch(/\[=+-+\] \d+ of 20 started, \d+\.\d\/s, \d s to go/);
    const [note, ...lines] = screen;
    expect(note).toMatch(/^\.\.\. the workers start the rows: "gangway batches /);
    expect(lines.slice(0, 20).sort()).toEqual(ids.map((id, place) => `${place + 1} ${id} started`).sort());
    expect(lines.slice(20)).toEqual(['20 rows: 20 started', '']);
  });
});

it('a pipe gets no control codes', async () => {
  const input = merchant();
  const command = `board - --wait < ${await inputFile(rig, input)} 2>&1 | cat`;
  const piped = await run('sh', ['-c', `"${process.execPath}" dist/starter.js ${command}`], rig.env);
  expect(piped.stdout).toContain(`${idOf(input)} boarded: mid`);
  expect(piped.stdout).not.toMatch(/[^\P{Cc}\n]/u);
});
