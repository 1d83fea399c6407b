import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';
import { hostilePartner, STATUS } from '../../../rigs/workflows/hostile-partner.js';

const AGENTS = 'GET /api/v1/agentProfiles';

const rig = await createRig({ worker: false });
afterEach(() => rig.clear());
afterAll(() => rig.close());
const hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
await rig.startWorker({ boardingUrl: hostile.url, accounts: ['acme'] });

function gangway(...args: string[]) {
  const { BOARDING_URL = '', BOARDING_USERNAME = '', BOARDING_PASSWORD = '' } = rig.env;
  const acme = {
    GANGWAY_ACCOUNTS: 'acme',
    ACME_BOARDING_URL: BOARDING_URL,
    ACME_BOARDING_USERNAME: BOARDING_USERNAME,
    ACME_BOARDING_PASSWORD: BOARDING_PASSWORD,
  };
  return runGangway({ ...rig.env, ...acme }, args);
}

/** A boarding whose create waits for an hour, because the partner failed before it, and asked for that. */
async function heldUp(account?: string) {
  const { agentProfileId: _, ...input } = merchant(undefined, account === undefined ? {} : { account });
  hostile.misbehave(AGENTS, () => ({ status: 500, headers: { 'retry-after': '3600' }, body: '' }));
  const boarding = await rig.board({ ...input, agent: 'Harbor Agents' });
  await boarding.retrying('createMerchant');
  hostile.behave(AGENTS);
  return { boarding, externalId: input.externalId };
}

const created = async (externalId: string) =>
  (await rig.sandbox.writes(externalId)).filter((operation) => operation === 'create-merchant').length;

describe('gangway nudge', () => {
  it('retries a step that waits for the partner, and sends its write once', async () => {
    const { boarding, externalId } = await heldUp();
    expect(await gangway('nudge', externalId)).toEqual({
      code: 0,
      stdout: `${boarding.workflowId} retries now: createMerchant\n`,
      stderr: '',
    });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await created(externalId)).toBe(1);
  });

  it('reads for a customer that has ended, because its parts go on', async () => {
    const input = customer({ boarding: 'waiting', business: 'waiting' });
    const onboarding = await rig.onboard(input);
    const boarding = new Onboarding(rig.client, `merchant-boarding-${input.externalId}`);
    await onboarding.until((state) => state.boarding?.stage === 'underwriting', 'its merchant to be read');
    await onboarding.handle.terminate();
    expect(await gangway('nudge', input.externalId)).toMatchObject({
      code: 0,
      stdout: `${onboarding.workflowId} reads its status now\n`,
    });
    await boarding.handle.terminate();
  });

  it('says so when nothing waits for a partner, but for a person', async () => {
    const boarding = await rig.board(merchant(undefined, { agentProfileId: 999 }));
    await boarding.requirement('rejected-input');
    expect(await gangway('nudge', boarding.workflowId)).toMatchObject({
      stderr: `${boarding.workflowId} does not wait for a partner\n`,
    });
    await boarding.handle.terminate();
  });

  it('--system retries everything that waits for a partner in an account, and nothing else', async () => {
    const [one, other] = [await heldUp(), await heldUp()];
    const acme = await heldUp('acme');
    // A status poll that waits counts as well.
    const polling = await rig.board(merchant('waiting'));
    const { merchantProfileId = 0 } = await polling.until(({ stage }) => stage === 'underwriting');
    hostile.misbehave(STATUS, () => ({ status: 500, headers: { 'retry-after': '3600' }, body: '' }));
    await eventually(
      () => polling.poll(),
      (poll) => Number(poll?.nextAttemptScheduleTime?.seconds) > Date.now() / 1_000 + 1_800,
      'a status poll that waits for an hour',
    );
    hostile.behave(STATUS);
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    const [woken] = jsonLines(await gangway('nudge', '--system', 'boarding', '--json'));
    expect(woken).toEqual({ system: 'boarding', steps: 3, workflows: 3 });
    expect((await Promise.all([one, other].map(({ boarding }) => boarding.outcome()))).length).toBe(2);
    expect(await polling.outcome()).toMatchObject({ outcome: 'declined' });
    expect((await acme.boarding.state()).merchantProfileId).toBeUndefined();
    expect(await gangway('nudge', '--system', 'banking', '--partner-account', 'acme')).toMatchObject({
      stdout: 'banking: retried pending calls: 0, of onboardings and operations: 0\n',
    });
    expect(await gangway('nudge', '--system', 'boarding', '--partner-account', 'acme')).toEqual({
      code: 0,
      stdout: 'boarding: retried pending calls: 1, of onboardings and operations: 1\n',
      stderr: '',
    });
    expect(await acme.boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await created(acme.externalId)).toBe(1);
  });
});
