import { afterAll, beforeAll, expect, it } from 'vitest';
import { destinationOf } from '../../src/platform/events/sender.js';
import { SECRET, type Subscriber, subscriber } from '../rigs/events/subscriber.js';
import { business, merchant } from '../rigs/inputs.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import {
  boardingResponse,
  type HostilePartner,
  hostilePartner,
  NOTES,
  STATUS,
} from '../rigs/workflows/hostile-partner.js';

/** In the words of a partner, where nobody expects them. */
const PRIVATE = ['900-12-3456', '900123456', 'ada@example.com'];
const SSN = '900-12-3456';
const STATUS_NAME = `On hold:\n${SSN} or 900123456,\task ada@example.com`;
const SHOWN = 'On hold: [Redacted] or [Redacted], ask [Redacted]';

let rig: Rig;
let crm: Subscriber;
let hostile: HostilePartner;
beforeAll(async () => {
  rig = await createRig({ worker: false });
  crm = await subscriber(SECRET, rig.atClose);
  hostile = await hostilePartner(rig.sandbox.url, rig.atClose);
  const events = { secrets: [SECRET], toLoopback: true, destinations: [destinationOf(crm.url)] };
  await rig.startWorker({ boardingUrl: hostile.url, events });
});
afterAll(() => rig.close());

it('the name of a status is masked and one line in the state, the timeline, searches and outbound events', async () => {
  let isSubmitted = false;
  hostile.misbehave('POST /api/v2/merchant/submit', () => {
    isSubmitted = true;
    return undefined;
  });
  const read = { statusDate: '2026-01-31T10:00:00Z', comment: null, mid: `soon, for ${SSN}` };
  hostile.misbehave(STATUS, () =>
    isSubmitted ? boardingResponse({ ...read, status: STATUS_NAME }) : undefined,
  );
  hostile.misbehave(NOTES, () =>
    boardingResponse([{ text: 'Why?', author: `Uma (${SSN})`, date: '2026-01-31T10:00:00Z' }]),
  );
  const boarding = await rig.board(merchant('waiting'));
  const { title } = await boarding.requirement('underwriting-note');
  expect(title).toBe('Note from Uma (***-**-3456): Why?');
  const state = await boarding.until(({ partnerStatus }) => partnerStatus === SHOWN);
  expect(state.timeline).toContainEqual(expect.objectContaining({ event: 'status-changed', detail: SHOWN }));
  const { typedSearchAttributes, raw } = await boarding.handle.describe();
  expect(typedSearchAttributes.getAll().map(({ value }) => value)).toContain(SHOWN);
  const stages = await eventually(
    async () => crm.received.flatMap(({ data: { partnerStatus } }) => partnerStatus ?? []),
    (names) => names.includes(SHOWN),
    'an event with the status',
  );
  expect(new Set(stages)).not.toContain(STATUS_NAME);
  const [question] = await eventually(
    async () => (await boarding.state()).timeline.filter(({ event }) => event === 'temporary-mid'),
    ({ length }) => length > 0,
    'the mid in the timeline',
  );
  expect(question?.detail).toBe('soon, for ***-**-3456, not final before approval');
  const seen = [
    JSON.stringify([await boarding.state(), raw.workflowExecutionInfo?.searchAttributes]),
    ...Object.values(raw.workflowExecutionInfo?.searchAttributes?.indexedFields ?? {}).map(({ data }) =>
      Buffer.from(data ?? []).toString(),
    ),
    ...crm.received.map(({ body }) => body),
  ].join('\n');
  for (const value of PRIVATE) expect(seen).not.toContain(value);
});

it('the topic of a ticket and the name of its field are masked in the question and in the timeline', async () => {
  const onboarding = await rig.onboardBusiness(business('waiting'));
  const { profileId = 0 } = await onboarding.until((state) => state.profileId !== undefined, 'a profile');
  const ticket = { text: 'Whose is it?', topic: `Owner ${SSN}` };
  await rig.sandbox.transitionProfile(profileId, {
    bankingStatus: 'PendingUW',
    tickets: [ticket, { ...ticket, updateFieldRequest: 'Ssn 900123456' }],
  });
  const { requirements, timeline } = await onboarding.until((state) => state.requirements.length === 2);
  expect(requirements.map(({ title, detail }) => [title, detail])).toEqual([
    ['Ticket about Owner ***-**-3456', 'Whose is it?'],
    ['Ticket about Ssn ***-**-3456', 'Whose is it?\nThe partner asks about the field Ssn ***-**-3456.'],
  ]);
  for (const value of PRIVATE) expect(JSON.stringify([requirements, timeline])).not.toContain(value);
});

it('a status of 3,000 characters is shown shortened, and the boarding goes on', async () => {
  const read = (status: string, mid: string | null) =>
    boardingResponse({ status, statusDate: '2026-01-31T10:00:00Z', comment: null, mid });
  hostile.behave(STATUS);
  hostile.misbehave(NOTES, () => boardingResponse([]));
  const boarding = await rig.board(merchant('waiting'));
  await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending');
  hostile.misbehave(STATUS, () => read(`In ${'é'.repeat(3_000)}\u0000`, null));
  const isLong = (state: { partnerStatus: string | null }) => state.partnerStatus?.startsWith('In ') === true;
  const { partnerStatus, merchantProfileId } = await boarding.until(isLong);
  expect(partnerStatus).toHaveLength(200);
  expect(partnerStatus).toMatch(/^In é+… \(shortened, 3003 characters\)$/);
  const { raw } = await boarding.handle.describe();
  const { PartnerStatus } = raw.workflowExecutionInfo?.searchAttributes?.indexedFields ?? {};
  expect(JSON.parse(Buffer.from(PartnerStatus?.data ?? []).toString())).toBe(partnerStatus);
  hostile.misbehave(STATUS, (_, url) =>
    url.endsWith(`=${merchantProfileId}`) ? read('Approved', '518000000000042') : undefined,
  );
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '518000000000042' });
});
