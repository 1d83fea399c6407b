import { describe, expect, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { fileWith } from '../../rigs/folders.js';

const HEADER = {
  gangwayBackup: 1,
  at: '2026-01-31T12:00:00.000Z',
  namespace: 'default',
  taskQueue: 'gangway',
};
const ENTRY = {
  ...{ workflowId: 'merchant-boarding-m-1', type: 'merchantBoarding', status: 'running' },
  ...{ startedAt: '2026-01-31T10:00:00.000Z', input: 'e30=' },
};
const INCOMPLETE = ': is incomplete: its last line does not match the number of onboardings';

describe('gangway restore starts nothing of a file', () => {
  it.each<[what: string, lines: readonly unknown[], problem: string]>([
    ['without its end', [HEADER, ENTRY, ENTRY], INCOMPLETE],
    ['that lacks an entry', [HEADER, ENTRY, { onboardings: 2 }], INCOMPLETE],
    ['that has one more', [HEADER, ENTRY, ENTRY, { onboardings: 1 }], INCOMPLETE],
    [
      'of another version',
      [{ ...HEADER, gangwayBackup: 2 }, { onboardings: 0 }],
      ':1: is not valid; nothing was started\n  gangwayBackup: must be 1\n',
    ],
    [
      'with an unknown type',
      [HEADER, { ...ENTRY, type: 'x' }, { onboardings: 1 }],
      ':2: is not valid; nothing was started\n  type: must be one of',
    ],
  ])('%s', async (_, lines, problem) => {
    const file = await fileWith(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    // Nothing listens at this address.
    const { code, stderr } = await gangway({ TEMPORAL_ADDRESS: 'localhost:1' }, ['restore', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(file + problem)]);
  });
});
