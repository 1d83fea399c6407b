import { describe, expect, it } from 'vitest';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { event, problemOf, runReceiver, STRUCTURED } from '../../../rigs/receiver/running-receiver.js';
import { shared } from '../../../rigs/shared.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

function boarding(): string {
  return JSON.stringify(event('merchant.boarding.requested.v1', merchant()));
}

describe('in binary mode the attributes are in headers, which the signature does not cover; so', () => {
  const who = { id: 'm-1', requirementId: 'r-1', actor: 'olga', reason: 'because' };
  const documents = [{ key: 'k.txt', fileName: 'check.txt', contentType: 'text/plain' }];
  const samples: Record<string, () => object> = {
    'merchant.boarding.requested.v1': merchant,
    'business.onboarding.requested.v1': business,
    'customer.onboarding.requested.v1': customer,
    'requirement.resolved.v1': () => ({ ...who, answer: { kind: 'retry' } }),
    'documents.received.v1': () => ({ ...who, documents }),
  };
  const types = Object.keys(samples);

  const running = shared((until) => runReceiver(rig, {}, until));
  const invalid = { status: 422, type: 'urn:gangway:problem:invalid' };

  async function sendBinary(type: string, body: string): Promise<unknown> {
    return problemOf(
      await running().post(body, {
        'content-type': 'application/json',
        'ce-specversion': '1.0',
        'ce-type': type,
        'ce-source': '/crm',
        'ce-id': 'msg_1',
      }),
    );
  }

  it.each(types)('an event of type %s is not valid as any other type', async (type) => {
    const body = JSON.stringify(samples[type]?.());
    for (const other of types.filter((each) => each !== type))
      expect(await sendBinary(other, body), other).toMatchObject(invalid);
  });

  it('an event that is signed in one mode is not valid in another', async () => {
    expect(await sendBinary('merchant.boarding.requested.v1', boarding())).toMatchObject(invalid);
    const asStructured = await running().post(JSON.stringify(merchant()), { 'content-type': STRUCTURED });
    expect(problemOf(asStructured)).toMatchObject(invalid);
  });
});

describe('an answer that was captured in binary mode, and is sent again as if from another source', () => {
  it.each([
    ['changes nothing', false],
    ['stays taken back', true],
  ])('%s', async (_, isTakenBack) => {
    const { post } = await runReceiver(rig);
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [first = '', second = ''] = requirements.map(({ id }) => id);
    const who = { id: input.externalId, requirementId: first, actor: 'olga', reason: 'because' };
    const body = JSON.stringify({ ...who, answer: { kind: 'text', text: 'One sale in ten.' } });
    const sendFrom = (source: string) =>
      post(body, {
        'content-type': 'application/json',
        'ce-specversion': '1.0',
        'ce-source': source,
        'ce-type': 'requirement.resolved.v1',
        'ce-id': 'msg_1',
      });
    expect((await sendFrom('/crm')).status).toBe(202);
    if (isTakenBack) await boarding.resolve(first, { kind: 'take-back' });
    expect((await sendFrom('/erp')).status).toBe(202);
    const open = (await boarding.state()).requirements.map(({ id }) => id);
    expect(open).toEqual(isTakenBack ? [second, first] : [second]);
    const { timeline } = await boarding.state();
    expect(timeline.filter(({ event: each }) => each === 'requirement-resolved')).toHaveLength(1);
    await boarding.handle.terminate();
  });
});

it('unsigned events are accepted when there are no secrets', async () => {
  const { call } = await runReceiver(rig, { secrets: [] });
  expect(await call('POST /events', boarding(), { 'content-type': STRUCTURED })).toMatchObject({
    status: 202,
  });
});
