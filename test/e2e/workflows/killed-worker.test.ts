import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destinationOf } from '../../../src/platform/events/sender.js';
import { type Received, SECRET, type Subscriber, subscriber } from '../../rigs/events/subscriber.js';
import { business } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { cutOffWrites } from '../../rigs/workflows/cut-off-writes.js';

/** Of a machine that has other tests to run: workers start, and the server gives up on an attempt of a write after two minutes. */
const TIMEOUT_MS = 300_000;

let rig: Rig;
let crm: Subscriber;
/** Its events are not delivered yet. */
let ended: Onboarding;
/** How many events were refused, all before the worker was killed. */
let undelivered: number;
let cutOff: Awaited<ReturnType<typeof cutOffWrites>>;

// All of these are in the middle of a write when the one worker there is gets killed.
beforeAll(async () => {
  rig = await createRig({ worker: false });
  crm = await subscriber(SECRET, rig.atClose);
  crm.response = { status: 503, headers: { 'retry-after': '5' } };
  Object.assign(rig.env, { EVENTS_URLS: crm.url, EVENTS_SECRETS: SECRET, EVENTS_TO_LOOPBACK: 'true' });
  ended = await rig.onboardBusiness(business());
  cutOff = await cutOffWrites(rig, async () => {
    await ended.outcome();
    const refused = async () => crm.received.length;
    await eventually(refused, (count) => count > 0, 'an event');
  });
  crm.response = { status: 204 };
  undelivered = crm.received.length;
  const events = { secrets: [SECRET], toLoopback: true, destinations: [destinationOf(crm.url)] };
  await rig.startWorker({ events });
}, TIMEOUT_MS);

afterAll(() => rig.close(), TIMEOUT_MS);

describe('a worker killed between the partner’s commit and its own report', { timeout: TIMEOUT_MS }, () => {
  it('leaves one merchant and a question; confirming it finishes the boarding', async () => {
    const { input, boarding } = cutOff.merchants.creating;
    const requirement = await boarding.requirement('uncertain-write');
    expect(requirement.detail).toContain('its worker stopped before the response was recorded');
    const [entry, ...more] = await rig.sandbox.ledger({ guid: input.externalId });
    expect(more).toEqual([]);
    await boarding.resolve(requirement.id, { kind: 'confirm', id: String(entry?.id) });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: entry?.id });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });

  it('leaves one merchant and a question even when the activity in flight was reset', async () => {
    const { input, boarding } = cutOff.merchants.reset;
    const { detail } = await boarding.requirement('uncertain-write');
    expect(detail).toContain('its worker stopped before the response was recorded');
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant']);
  });

  it('of a submission leaves evidence in the status, and nobody is asked', async () => {
    const { input, boarding } = cutOff.merchants.submitting;
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('requirement-raised');
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });

  it('leaves no event undelivered, and repeats each as it was', async () => {
    const { creating, submitting } = cutOff.merchants;
    const delivered = () => crm.received.slice(undelivered);
    for (const { workflowId } of [ended, creating.boarding, submitting.boarding]) {
      const isEnd = ({ type, data }: Received) =>
        type === 'onboarding.completed.v1' && data['workflowId'] === workflowId;
      const [end] = await eventually(
        async () => delivered().filter(isEnd),
        (ends) => ends.length > 0,
        `the end of ${workflowId}`,
      );
      const [run, last] = end?.id.split('.') ?? [];
      const all = Array.from({ length: Number(last) }, (_, index) => `${run}.${index + 1}.`);
      await eventually(
        async () => delivered().map(({ id }) => id),
        (ids) => all.every((each) => ids.some((id) => id.startsWith(each))),
        `all events up to ${end?.id}`,
      );
    }
    const bodies = new Map(crm.received.map(({ id, body }) => [id, body]));
    for (const { id, body } of crm.received) expect(body).toBe(bodies.get(id));
  });
});
