import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partnerRecordId } from '../../../src/messages/ids.js';
import { nudge } from '../../../src/temporal/nudge.js';
import { queryPartnerRecord } from '../../../src/temporal/partner-accounts.js';
import { gangway } from '../../rigs/command.js';
import { business, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { begun, soon } from '../../rigs/workflows/partner-account.js';

let rig: Rig;
beforeAll(async () => {
  // A decision must make sleeping polls read at once.
  rig = await createRig({ accounts: ['acme'], poll: { minMs: 3_600_000, maxMs: 3_600_000 } });
});
afterAll(() => rig.close());

const recordIn = ({ client, taskQueue }: Rig, system = 'boarding', account?: string) =>
  new Onboarding(client, partnerRecordId(system, taskQueue, account));

/** A boarding whose merchant the partner has moved to this status, which its poll has read. */
async function boardingIn(status: string, more: object = {}) {
  const boarding = await rig.board(merchant('waiting', more));
  const { merchantProfileId = 0 } = await boarding.until(
    ({ timeline }) => timeline.some(({ event }) => event === 'submitted'),
    'its submission',
  );
  await rig.sandbox.transition(merchantProfileId, { status });
  await readAgain(rig, boarding);
  return { boarding, merchantProfileId };
}

async function readAgain({ client }: Rig, onboarding: Onboarding): Promise<void> {
  await eventually(() => onboarding.poll(), Boolean, 'a status poll');
  await nudge(client, onboarding.workflowId);
}

const reads = (status: string) => (state: { partnerStatus: string | null }) => state.partnerStatus === status;

/** The requirement about a status. */
async function questionAbout(record: Onboarding, status: string) {
  await begun(record);
  const { requirements } = await record.until(
    (state) => state.requirements.some(({ title }) => title.includes(`“${status}”`)),
    `a requirement about ${status}`,
  );
  const [question, ...others] = requirements.filter(({ title }) => title.includes(`“${status}”`));
  expect(others).toEqual([]);
  if (!question) throw new Error('unreachable');
  return question;
}

describe('a status name that no document has', () => {
  it('is asked about once, and the answer applies to all boardings of the account, now and later', async () => {
    const [first, second] = await Promise.all([boardingIn('On Hold'), boardingIn('On Hold')]);
    for (const { boarding } of [first, second]) await boarding.until(reads('On Hold'));
    const record = recordIn(rig);
    const question = await questionAbout(record, 'On Hold');
    expect(question).toMatchObject({
      id: 'status-on-hold',
      kind: 'new-status',
      title: 'New status of the boarding partner: “On Hold”',
      answers: ['choice'],
      choices: [
        'not-submitted',
        'under-review',
        'needs-answers',
        'wants-changes',
        'ended-declined',
        'ended-closed',
        'approved',
      ],
    });
    // The boardings themselves ask nothing, and wait.
    expect((await first.boarding.state()).requirements).toEqual([]);

    await expect(record.resolve(question.id, { kind: 'choice', choice: 'lost' })).rejects.toThrow();
    const declined = { kind: 'choice', choice: 'ended-declined' } as const;
    await record.resolve(question.id, declined, 'olga', 'the partner wrote so');
    const ids = [first, second].map(({ merchantProfileId }) => ({ outcome: 'declined', merchantProfileId }));
    expect(await soon([first.boarding, second.boarding])).toMatchObject(ids);

    const third = await boardingIn('On Hold');
    expect(await third.boarding.outcome()).toMatchObject({ outcome: 'declined' });
    const { requirements, timeline } = await record.state();
    expect(requirements.filter(({ title }) => title.includes('On Hold'))).toEqual([]);
    expect(timeline.find(({ event }) => event === 'status-explained')).toMatchObject({
      detail: 'On Hold: ended-declined',
      actor: 'olga',
      reason: 'the partner wrote so',
    });

    const { stdout } = await gangway(rig.env, ['status', record.workflowId]);
    expect(stdout).toMatch(/status-explained +On Hold: ended-declined \(olga: the partner wrote so\)/);
  });

  it('of another account is another question', async () => {
    const { boarding } = await boardingIn('Parked', { account: 'acme' });
    await boarding.until(reads('Parked'));
    const record = recordIn(rig, 'boarding', 'acme');
    const { title, id } = await questionAbout(record, 'Parked');
    expect(title).toBe('New status of the boarding partner (account acme): “Parked”');
    await record.resolve(id, { kind: 'choice', choice: 'ended-closed' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'closed' });
    const inOther = await recordIn(rig)
      .state()
      .catch(() => ({ timeline: [] }));
    expect(JSON.stringify(inOther.timeline)).not.toContain('Parked');
  });

  it('of a bank is asked about in the same way', async () => {
    const onboarding = await rig.onboardBusiness(business('waiting'));
    const { profileId = 0 } = await onboarding.until(({ profileId }) => profileId !== undefined, 'a profile');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Frozen' });
    await readAgain(rig, onboarding);
    const record = recordIn(rig, 'banking');
    const { id, title } = await questionAbout(record, 'Frozen');
    expect(title).toBe('New status of the banking partner: “Frozen”');
    await record.resolve(id, { kind: 'choice', choice: 'ended-declined' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'declined' });
  });
});

it('a canceled record is forgotten, and people are asked again', async () => {
  const { boarding } = await boardingIn('Postponed', { account: 'acme' });
  const record = recordIn(rig, 'boarding', 'acme');
  const { id } = await questionAbout(record, 'Postponed');
  await record.resolve(id, { kind: 'choice', choice: 'under-review' });
  const place = { system: 'boarding', account: 'acme', taskQueue: rig.taskQueue } as const;
  await eventually(
    () => queryPartnerRecord(rig.client, place),
    (stored) => stored?.statuses.some(({ decision }) => decision?.meaning === 'under-review') ?? false,
    'the decision',
  );
  const env = { ...rig.env, GANGWAY_ACCOUNTS: 'acme' };
  expect(await gangway(env, ['cancel', record.workflowId, '--yes'])).toMatchObject({ code: 0 });
  await eventually(
    async () => (await record.handle.describe()).status.name,
    (status) => status === 'CANCELLED',
    'the end of the record',
  );
  expect(await queryPartnerRecord(rig.client, place)).toBeUndefined();
  await boarding.handle.cancel();
});
