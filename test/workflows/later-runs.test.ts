import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { partnerRecordId } from '../../src/messages/ids.js';
import { type ChildReport, childReport } from '../../src/messages/onboardings.js';
import { statusSeen } from '../../src/messages/partner-account.js';
import { proposedAnswerOf } from '../../src/temporal/find-onboarding.js';
import { queryPartnerRecord, reportStatus } from '../../src/temporal/partner-accounts.js';
import { initialState } from '../../src/workflows/runtime/state.js';
import { business, customer } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** Workflows that go on in another run after a few events, where real ones wait for thousands. */
const rig = await createRig({ continueAfter: 60 });
/** Here each change is in a run of its own. */
const volatile = await createRig({ continueAfter: 1 });
afterAll(async () => {
  await rig.close();
  await volatile.close();
});

const runOf = async ({ handle }: Onboarding<unknown>) => (await handle.describe()).runId;

// Proves F7.
describe('a record of which each change is in a run of its own', () => {
  const { client, taskQueue } = volatile;
  const place = { fourEyes: [], system: 'boarding', account: undefined, taskQueue } as const;
  const record = new Onboarding(client, partnerRecordId('boarding', taskQueue));
  const statuses = async () => (await queryPartnerRecord(client, place))?.statuses ?? [];
  const decided = async () =>
    (await statuses()).flatMap(({ status, decision }) =>
      decision ? [`${status}: ${decision.meaning}`] : [],
    );

  /** Has a partner respond with another status, and waits for the question. Each one is in another run than the one before. */
  async function seen(status: string) {
    const value = (await statuses()).length;
    const before = value > 0 ? await runOf(record) : undefined;
    await reportStatus(client, place, status);
    const matches = await eventually(
      statuses,
      (all) => all.length > value && all.every(({ requirementId }) => requirementId !== undefined),
      `a question about ${status}`,
    );
    await eventually(
      () => runOf(record),
      (run) => run !== before,
      'another run',
    );
    return matches.at(-1)?.requirementId ?? '';
  }

  /** All that people and programs see of a record, for these requirements. */
  async function shown(ids: readonly string[]) {
    const { requirements, timeline, ...state } = await record.state();
    const isMeant = ({ id }: { readonly id: string }) => ids.includes(id);
    const list = await record.listedAs((all) => ids.every((id) => all.some((each) => each.id === id)));
    const names = await statuses();
    return {
      ...state,
      requirements: requirements.filter(isMeant),
      timeline,
      names: names.filter(({ requirementId = '' }) => ids.includes(requirementId)),
      listed: list.requirements.filter(isMeant),
      proposed: await Promise.all(ids.map((id) => proposedAnswerOf(client, record.workflowId, id))),
    };
  }

  it('knows in its third run, and in each later one, all that a person or a partner did in an earlier one', async () => {
    const names = ['On Hold', 'On-Hold', 'Parked', 'Frozen', 'on hold'];
    const ids: string[] = [];
    for (const name of names) ids.push(await seen(name));
    // Names that look alike are told apart by a number, whichever run asks.
    expect(ids).toEqual([
      'status-on-hold',
      'status-on-hold-2',
      'status-parked',
      'status-frozen',
      'status-on-hold-3',
    ]);
    const [hold = '', second = '', parked = '', frozen = '', third = ''] = ids;
    await record.claim(parked, 'pete');
    const { proposedAt } = await record.propose(frozen, { kind: 'choice', choice: 'ended-declined' }, 'pete');

    let before = await shown(ids);
    expect(before.listed.filter(({ claim }) => claim).map(({ id }) => id)).toEqual([parked]);
    expect(before.listed.filter(({ proposal }) => proposal).map(({ id }) => id)).toEqual([frozen]);
    for (const name of ['Looked at', 'Looked at again', 'Looked at once more']) {
      await seen(name);
      const now = await shown(ids);
      expect({ ...now, timeline: now.timeline.slice(0, before.timeline.length) }).toEqual(before);
      expect(now.timeline.filter(({ event }) => event === 'started')).toHaveLength(1);
      before = now;
    }

    // Answers and decisions of later runs are about the questions of the earlier ones.
    const choices = [
      [hold, 'ended-closed'],
      [third, 'approved'],
      [second, 'under-review'],
    ] as const;
    for (const [id, choice] of choices) {
      const run = await runOf(record);
      await record.resolve(id, { kind: 'choice', choice }, 'olga', `it is ${choice}`);
      await eventually(
        () => runOf(record),
        (now) => now !== run,
        'another run',
      );
      expect(await callsOf(record, run)).toEqual(['wakePolls']);
    }
    await record.confirm(frozen, proposedAt, 'olga');
    const four = await eventually(decided, ({ length }) => length === 4, 'four decisions');
    expect(four).toEqual([
      'On Hold: ended-closed',
      'On-Hold: under-review',
      'Frozen: ended-declined',
      'on hold: approved',
    ]);
    // What is decided is not asked again.
    for (const name of names) await reportStatus(client, place, name);
    await seen('Another one');
    expect(await decided()).toEqual(four);
    const { requirements, timeline } = await record.state();
    expect(requirements.filter(({ id }) => ids.includes(id)).map(({ id }) => id)).toEqual([parked]);
    expect(timeline.filter(({ event }) => event === 'status-explained').map(({ detail }) => detail)).toEqual([
      'On Hold: ended-closed',
      'on hold: approved',
      'On-Hold: under-review',
      'Frozen: ended-declined',
    ]);
    expect((await statuses()).find(({ status }) => status === 'on hold')?.decision).toMatchObject({
      meaning: 'approved',
      actor: 'olga',
      reason: 'it is approved',
    });
  });
});

it('a record in a later run counts the names of the earlier ones: it keeps at most 100, and the first ones', async () => {
  const { client } = volatile;
  const at = new Date().toISOString();
  const names = Array.from({ length: 99 }, (_, number) => `Status ${number}`);
  const memory = { statuses: names.map((status) => ({ status, firstAt: at, requirementId: status })) };
  const { input: _, ...carriedState } = initialState('partnerRecord', {}, memory);
  const workflowId = partnerRecordId('banking', volatile.taskQueue);
  const args = [{ system: 'banking' }, carriedState];
  const handle = await client.workflow.start('partnerRecord', {
    workflowId,
    args,
    taskQueue: volatile.taskQueue,
  });
  for (const status of ['Last', 'Too many', 'Far too many']) await handle.signal(statusSeen, { status });
  const place = { system: 'banking', account: undefined, taskQueue: volatile.taskQueue } as const;
  const matches = await eventually(
    async () => (await queryPartnerRecord(client, place))?.statuses ?? [],
    ({ length }) => length >= 100,
    'the last name',
  );
  expect(matches.map(({ status }) => status)).toEqual([...names, 'Last']);
  await handle.terminate();
});

/** The activities that a run has scheduled. */
async function callsOf({ handle }: Onboarding<unknown>, runId: string) {
  const { events } = await volatile.client.workflow.getHandle(handle.workflowId, runId).fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );
}

describe.concurrent('a customer in its third run', () => {
  const UNDER_WAY = { boarding: 'waiting', business: 'waiting' };

  /**
   * Lets a customer go on in another run, twice. It shows then what it showed before.
   *
   * @param part has reported already: an older report of it means nothing, and makes the history longer
   */
  async function inThirdRun(onboarding: Onboarding<unknown>, part: 'boarding' | 'business') {
    const old = { run: 'an earlier one', runStartedAt: new Date(0).toISOString(), number: 1 };
    const report: ChildReport = { part, ...old, isWhole: true, facts: {}, raised: [], closed: [] };
    const render = async () => {
      const list = await onboarding.listedAs(() => true);
      const details = await onboarding.currentDetails();
      return { state: await onboarding.state(), details, list: { ...list, runId: '', startedAt: '' } };
    };
    const before = await render();
    for (const run of ['second', 'third']) {
      await onboarding.changedUntilNextRun(() => onboarding.handle.signal(childReport, report));
      expect(await render(), `in its ${run} run`).toEqual(before);
    }
  }

  const ended = async (onboarding: Onboarding<unknown>) =>
    (await onboarding.events()).filter((event) => /-(ended|attached)$/.test(event));

  it('knows how a part ended in its first, and counts that once', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'declined', business: 'waiting' }));
    await onboarding.until(({ timeline }) => timeline.some(({ event }) => event === 'boarding-ended'));
    await onboarding.until(({ business: its }) => its?.partnerStatus === 'Submitted', 'Submitted');
    await inThirdRun(onboarding, 'business');
    const { profileId = 0, merchantProfileId } = await onboarding.state();
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'declined', merchantProfileId },
      business: { outcome: 'onboarded', profileId },
    });
    expect(await ended(onboarding)).toEqual(['boarding-ended', 'business-ended']);
  });

  it('knows which part was started on its own, and leaves that one running when it is canceled', async () => {
    const input = customer(UNDER_WAY);
    const own = await rig.onboardBusiness(business('waiting', { externalId: input.externalId }));
    await own.until(({ partnerStatus }) => partnerStatus === 'Submitted', 'Submitted');
    const onboarding = await rig.onboard(input);
    await onboarding.until(
      ({ boarding, timeline }) =>
        boarding?.partnerStatus === 'Pending' && timeline.some(({ event }) => event === 'business-attached'),
      'both under way',
    );
    await inThirdRun(onboarding, 'boarding');
    await onboarding.handle.cancel();
    await expect(onboarding.outcome()).rejects.toThrow();
    const { boarding } = onboarding.parts;
    const statusOf = async ({ handle }: Onboarding<unknown>) => (await handle.describe()).status.name;
    await eventually(
      () => statusOf(boarding),
      (name) => name !== 'RUNNING',
      'the end of the merchant',
    );
    expect([await statusOf(boarding), await statusOf(own)]).toEqual(['CANCELLED', 'RUNNING']);
    expect(await ended(onboarding)).toContain('business-attached');
    await own.handle.terminate();
  });

  it('starts the business as it was told to in its first: again, although an earlier one has ended', async () => {
    const input = customer();
    const first = await rig.onboard(input);
    expect(await first.outcome()).toMatchObject({ outcome: 'onboarded' });
    const earlier = await runOf(first.parts.business);

    // The business waits for the merchant, which the partner refuses at first.
    const boarding = { ...input.boarding, agentProfileId: 999 };
    const again = await rig.onboard({ ...input, boarding }, { again: true });
    const { id } = await again.requirement('rejected-input');
    await inThirdRun(again, 'boarding');
    await again.resolve(id, { kind: 'correction', patch: { agentProfileId: 101 } });
    expect(await again.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await runOf(first.parts.business)).not.toBe(earlier);
    expect(await ended(again)).not.toContain('business-attached');
  });
});

it('a customer starts a part as its own, also in the task after which it continues in another run', async () => {
  const own = await createRig({ continueAfter: 60, worker: false });
  onTestFinished(() => own.close());
  const worker = await own.startWorker();
  const input = customer({ boarding: 'waiting', business: 'waiting' });
  // Without a merchant there is no business.
  const boarding = { ...input.boarding, agentProfileId: 999 };
  const onboarding = await own.onboard({ ...input, boarding });
  await onboarding.requirement('rejected-input');
  const first = await runOf(onboarding);
  await worker.stop();
  // One task brings the merchant, and a history that is too long.
  const report = (number: number, facts = {}): ChildReport => ({
    part: 'boarding',
    run: 'the next one',
    runStartedAt: new Date().toISOString(),
    number,
    isWhole: number === 1,
    facts,
    raised: [],
    closed: [],
  });
  for (let number = 1; number < 60; number += 1) await onboarding.handle.signal(childReport, report(number));
  await onboarding.handle.signal(childReport, report(60, { merchantProfileId: 1_001 }));
  await own.startWorker();
  const { business: part } = onboarding.parts;
  await part.until(() => true, 'the business');
  await eventually(
    () => runOf(onboarding),
    (run) => run !== first,
    'another run',
  );
  await onboarding.handle.cancel();
  await expect(onboarding.outcome()).rejects.toThrow();
  // It reports its end before the server has it.
  await eventually(
    async () => (await part.handle.describe()).status.name,
    (status) => status === 'CANCELLED',
    'the end of the business',
  );
  expect(await onboarding.events()).not.toContain('business-attached');
});
