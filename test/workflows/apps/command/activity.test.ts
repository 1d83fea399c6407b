import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';

// It lists all onboardings of a server, so it has one of its own.
const rig = await createRig({ ownNamespace: true });
afterAll(() => rig.close());

const activity = (...args: readonly string[]) => runGangway(rig.env, ['activity', ...args]);

describe('gangway activity', () => {
  it('lists what people and partners did, the newest first, with what a correction changed', async () => {
    const onboarding = await rig.onboardBusiness(business('correction'));
    const { workflowId } = onboarding;
    const { id } = await onboarding.requirement('rejected-input');
    const patch = { holder: { ssn: '078051120', city: 'Dover' } };
    await onboarding.resolve(id, { kind: 'correction', patch }, 'Grace Lee (grace)', 'as they said');
    const other = await rig.board(merchant('notes'));
    await other.requirement('underwriting-note');
    await other.listed(' AND ActionRequired = true');

    const all = jsonLines(await activity('--json', '--limit', '0')) as Record<string, string>[];
    const times = all.map(({ at = '' }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(all.map((each) => each['workflowId']))).toEqual(new Set([workflowId, other.workflowId]));
    const corrected = await activity('--person', 'GRACE', '--kind', 'correction', '--csv');
    expect(corrected).toMatchObject({ code: 0 });
    // Alone catches a private value in a file that people send around.
    expect(corrected.stdout).not.toContain('078051120');
    const parsed = parse(corrected.stdout, { columns: true }) as Record<string, string>[];
    const rows = parsed.filter((row) => row['workflowId'] === workflowId);
    expect(rows).toHaveLength(2);
    for (const row of rows)
      expect(row).toMatchObject({
        workflowId,
        event: 'requirement-resolved',
        actor: 'Grace Lee (grace)',
        reason: 'as they said',
      });
    expect(rows.find(({ field }) => field === 'holder.city')).toMatchObject({ new: 'Dover' });

    const first = await activity('--limit', '1');
    expect(first.code).toBe(0);
    // Alone catches a week that silently has only what Temporal keeps.
    expect(first.stderr).toMatch(
      /^1 of \d+; --limit 0 for all\nTemporal keeps ended onboardings for \d+ [a-z]+ \(the retention .*\n$/,
    );
    expect((await activity('--person', 'nobody at all')).stdout).toBe('nothing happened\n');
    // Alone catches an end of the period that leaves nothing out, or all.
    const until = (time: string) => activity('--json', '--limit', '0', '--since', '2d', '--until', time);
    const before = jsonLines(await until('1d')) as Record<string, string>[];
    expect(
      before.filter((each) => [workflowId, other.workflowId].includes(each['workflowId'] ?? '')),
    ).toEqual([]);
    const later = new Date(Date.parse(times[0] ?? '') + 1).toISOString();
    expect((await until(later)).stdout).toContain(workflowId);
    expect(await activity('--since', '1d', '--until', '2d')).toMatchObject({
      code: 2,
      stderr: '--until must be after --since; nothing was read\n',
    });
    const nowhere = await activity('--partner-account', 'nowhere');
    expect([nowhere.code, nowhere.stdout]).toEqual([2, '']);
  });
});
