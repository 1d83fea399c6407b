import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';

// Its statement store has no other statements.
const rig = await createRig();
afterAll(() => rig.close());

const gangway = (args: readonly string[]) => runGangway(rig.env, ['statement', ...args]);

describe('gangway statement now', () => {
  it('saves the statement of a month, and prints its file name', async () => {
    const args = ['now', '--account', 'fa-501-1', '--period', '2026-01', '--format', 'csv'];
    const { code, stdout } = await gangway(args);
    const saved = await readFile(join(rig.statementDir, '2026-01-fa-501-1.csv'), 'utf8');
    expect(saved).toContain('fa-501-1,2026-01-03T10:00:00Z,Card sales,1200.00');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      new RegExp(` done: 2026-01-fa-501-1\\.csv \\(${saved.length} bytes\\) is in the statement store$`),
    );
  });

  it('saves the statement of the previous month', async () => {
    const { code, stdout } = await gangway(['now', '--account', 'fa-501-1', '--period', 'previous-month']);
    const today = new Date();
    const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1))
      .toISOString()
      .slice(0, 7);
    expect([code, stdout]).toEqual([0, expect.stringContaining(` done: ${month}-fa-501-1.pdf `)]);
  });

  it('has it sent by e-mail, and prints JSON', async () => {
    const accounts = ['--account', 'fa-501-1', 'fa-501-2'];
    const args = ['now', ...accounts, '--period', '2025-12', '--email', 'books@example.com', '--json'];
    const [started, outcome] = jsonLines(await gangway(args));
    const workflowId = started?.['workflowId'];
    expect(workflowId).toMatch(/^operation-statement-now-[0-9a-f]{16}$/);
    const fileName = expect.stringMatching(/^2025-12-2-accounts-[0-9a-f]{8}\.pdf$/);
    const file = { fileName, bytes: expect.any(Number), format: 'PDF' };
    expect(outcome).toEqual({ workflowId, outcome: 'done', ...file, emailed: true });
  });
});
