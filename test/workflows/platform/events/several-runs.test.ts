import { afterAll, beforeAll, expect, it } from 'vitest';
import { destinationOf } from '../../../../src/platform/events/sender.js';
import type { ExportedRecord } from '../../../../src/services/reports/exported-record.js';
import { gangway } from '../../../rigs/command.js';
import { SECRET, subscriber } from '../../../rigs/events/subscriber.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { event, type Reply, runReceiver, STRUCTURED } from '../../../rigs/receiver/running-receiver.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

// A real server suggests a new run after thousands of events.
const rig = await createRig({ continueAfter: 30, worker: false });
const crm = await subscriber(SECRET, afterAll);
const worker = await rig.startWorker({
  events: { secrets: [SECRET], toLoopback: true, destinations: [destinationOf(crm.url)] },
});
afterAll(() => rig.close());

let boarding: Onboarding;
let firstRun: string;
/** The IDs of the notes, each of which has an answer. */
let notes: readonly string[];
/** To the event that answers the first note, and to its repetition in another run. */
let replies: readonly Reply[];
beforeAll(async () => {
  const { post, close } = await runReceiver(rig, {}, afterAll);
  boarding = await rig.board(merchant('notes'));
  firstRun = (await boarding.handle.describe()).runId;
  const { requirements, merchantProfileId = 0 } = await boarding.until(
    (state) => state.requirements.length === 2,
    'two notes',
  );
  notes = requirements.map(({ id }) => id);
  const [first, second = ''] = notes;
  const answer = { kind: 'text', text: 'The first answer.' } as const;
  const data = { id: boarding.workflowId, requirementId: first, answer, actor: 'olga', reason: 'called' };
  const send = () =>
    post(JSON.stringify(event('requirement.resolved.v1', data)), { 'content-type': STRUCTURED });
  const sent = await send();
  for (let change = 0; change < 8; change += 1) {
    const status = change % 2 === 0 ? 'UW Level 1: Pending' : 'Pending';
    await rig.sandbox.transition(merchantProfileId, { status, comment: `still looking ${change}` });
    const detail = `${status}: still looking ${change}`;
    await boarding.until(({ timeline }) => timeline.at(-1)?.detail === detail, detail);
  }
  replies = [sent, await send()];
  await boarding.resolve(second, { kind: 'text', text: 'The second answer.' });
  await boarding.outcome();
  await close();
});

it('an onboarding continues in another run', async () => {
  expect((await boarding.handle.describe()).runId).not.toBe(firstRun);
});

it('the same event, repeated in another run, resolves nothing twice', () => {
  const accepted = [202, `{"workflowId":"${boarding.workflowId}"}`];
  expect(replies.map(({ status, text }) => [status, text])).toEqual([accepted, accepted]);
});

it('outbound events keep the IDs of the first run', async () => {
  const received = async () => crm.received;
  const isLast = ({ type }: { readonly type: string }) => type === 'onboarding.completed.v1';
  const number = (id: string) => Number(id.split('.')[1]);
  const areAll = (events: typeof crm.received) =>
    events.some((last) => isLast(last) && number(last.id) === events.length);
  const events = await eventually(received, areAll, 'the events up to the last one');
  const ids = events.map(({ id }) => id.split('.').slice(0, 2).join('.'));
  expect(ids.toSorted((one, other) => number(one) - number(other))).toEqual(
    events.map((_, index) => `${firstRun}.${index + 1}`),
  );
});

it('gangway export shows what people answered, the calls and the timeline of all runs, even without a worker', async () => {
  const record = async () => {
    const { stdout } = await gangway(rig.env, ['export', boarding.workflowId]);
    return (JSON.parse(stdout) as ExportedRecord).onboarding;
  };
  const byWorker = await record();
  await worker.stop();
  const byHistory = await record();
  expect([byWorker.source, byHistory.source]).toEqual(['worker', 'history']);
  for (const { runIds, answers, calls, timeline, notes: remarks, source } of [byWorker, byHistory]) {
    expect(runIds.length).toBeGreaterThan(1);
    expect(remarks).toHaveLength(source === 'worker' ? 0 : 1);
    expect(answers.map(({ requirementId }) => requirementId)).toEqual(notes);
    const writes = calls.filter(({ operation }) => !/^(await|read)/.test(operation));
    const records = ['createMerchant', 'submitMerchant', 'requestUnderwritingReview'];
    expect(writes.map(({ operation }) => operation)).toEqual(records);
    const events = timeline.map(({ event: name }) => name);
    const timesOf = (name: string) => events.filter((each) => each === name).length;
    const once = ['started', 'merchant-created', 'ended'];
    expect([...once, 'requirement-resolved'].map(timesOf)).toEqual([1, 1, 1, 2]);
  }
});
