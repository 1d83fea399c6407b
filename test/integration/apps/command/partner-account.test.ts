import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PARTNER_ACTIVITIES } from '../../../../src/activities/partner-activities.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { merchant } from '../../../rigs/inputs.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';
import { accountOf, asked } from '../../../rigs/workflows/partner-account.js';

const ID = 'partner-account-boarding';

const rig = await createRig({ ownNamespace: true, password: 'wrong' });
await rig.board(merchant());
await asked(accountOf(rig, 'boarding'), 'credentials');
// The index of searches follows a moment later.
await accountOf(rig, 'boarding').listedAs(({ length }) => length > 0);
afterAll(() => rig.close());

const gangway = (...args: string[]) => runGangway(rig.env, args);

/** Waits for the next requirement. @returns its id */
async function askedAfter(earlier: string): Promise<string> {
  const open = await accountOf(rig, 'boarding').asksAgain(earlier);
  return open.find(({ id }) => id !== earlier)?.id ?? '';
}

describe('an account whose credentials are rejected', () => {
  it('is in the inbox, and nothing else is, and has a status with the next step', async () => {
    const items = jsonLines(await gangway('inbox', '--details', '--json'));
    expect(items.map(({ workflowId, kind, title }) => [workflowId, kind, title])).toEqual([
      [ID, 'credentials', 'No access: the boarding partner'],
    ]);
    const { code, stdout } = await gangway('status', ID);
    expect(code).toBe(0);
    expect(stdout).toContain('rejects our credentials (401)');
    expect(stdout).toContain('everything that waits continues when they work');
  });

  it('accepts an answer, and asks again while the credentials do not work', async () => {
    const { requirements } = await accountOf(rig, 'boarding').state();
    const first = requirements[0]?.id ?? '';
    const resolved = await gangway('resolve', ID, first, '--retry', '--reason', 'changed at the partner');
    const second = await askedAfter(first);
    expect(resolved).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `^tried again, without success: [^]*\nIt is asked again as ${second}: gangway resolve ${ID} ${second}\n$`,
        ),
      ),
    });
  });

  it('cannot be abandoned: the credentials must work, or nothing waits for them', async () => {
    const { requirements } = await accountOf(rig, 'boarding').state();
    const abandon = ['resolve', ID, requirements[0]?.id ?? '', '--abandon', '--reason', 'no'];
    expect(await gangway(...abandon)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not take --abandon; it takes --retry:\n'),
    });
  });
});

describe('our own code that fails', () => {
  it('shows in the list, in doctor and on the onboarding, until another build runs it', async () => {
    const real = PARTNER_ACTIVITIES.boarding;
    vi.spyOn(PARTNER_ACTIVITIES, 'boarding').mockImplementation((dependencies) => ({
      ...real(dependencies),
      createMerchant: (() => {
        throw new TypeError('no street');
      }) as never,
    }));
    const own = await createRig({ ownNamespace: true });
    onTestFinished(() => own.close());
    vi.restoreAllMocks();
    const { workflowId } = await own.board(merchant());
    await asked(accountOf(own, 'boarding'), 'software-error');
    const at = (...args: string[]) => runGangway(own.env, args);
    await eventually(
      () => at('list'),
      ({ stderr }) =>
        stderr === 'our software fails, and onboardings wait for it: gangway inbox --kind software-error\n',
      'the note of the list',
    );
    const findings = jsonLines<{ check: string; state: string; detail: string }>(
      await at('doctor', '--json'),
    );
    expect(findings.find(({ check }) => check === 'waits')).toMatchObject({
      state: 'wrong',
      detail: 'our software fails; workflows with requirement software-error: 1',
    });
    expect((await at('status', workflowId)).stdout).toMatch(
      /^retrying +our software fails: createMerchant: TypeError: no street, since [\d-]{10} [\d:]{5} UTC$/m,
    );
  }, 120_000);
});
