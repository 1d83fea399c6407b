import { describe, expect, it } from 'vitest';
import { business, customer, merchant } from '../../rigs/inputs.js';
import {
  event,
  problemOf,
  type Reply,
  runReceiver,
  STRUCTURED,
  signed,
} from '../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

function boarding(): string {
  return JSON.stringify(event('merchant.boarding.requested.v1', merchant()));
}

describe('in binary mode the attributes are in headers, which the signature does not cover; so', () => {
  const who = { id: 'm-1', requirementId: 'r-1', actor: 'olga', reason: 'because' };
  const documents = [{ key: 'k', fileName: 'check.txt', contentType: 'text/plain' }];
  const samples: Record<string, () => object> = {
    'merchant.boarding.requested.v1': merchant,
    'business.onboarding.requested.v1': business,
    'customer.onboarding.requested.v1': customer,
    'requirement.resolved.v1': () => ({ ...who, answer: { kind: 'retry' } }),
    'documents.received.v1': () => ({ ...who, documents }),
  };
  const types = Object.keys(samples);

  async function sendBinary(type: string, body: string): Promise<Reply> {
    const { call } = await runReceiver(rig);
    return call('POST /events', body, {
      ...{ 'content-type': 'application/json', 'ce-specversion': '1.0' },
      ...{ 'ce-type': type, 'ce-source': '/crm', 'ce-id': 'msg_1' },
      ...signed(body),
    });
  }

  it.each(types.flatMap((type) => types.filter((other) => other !== type).map((other) => [type, other])))(
    'an event of type %s is not valid as type %s',
    async (type, other) => {
      const body = JSON.stringify(samples[type]?.());
      expect(problemOf(await sendBinary(other, body))).toMatchObject({
        status: 422,
        type: 'urn:gangway:problem:invalid',
      });
    },
  );

  it('an event that is signed in one mode is not valid in another', async () => {
    const [type = ''] = types;
    const asBinary = problemOf(await sendBinary(type, boarding()));
    expect(asBinary).toMatchObject({ status: 422, type: 'urn:gangway:problem:invalid' });
    const { post } = await runReceiver(rig);
    const asStructured = problemOf(await post(JSON.stringify(merchant()), { 'content-type': STRUCTURED }));
    expect(asStructured).toMatchObject({ status: 422, type: 'urn:gangway:problem:invalid' });
  });
});

it('unsigned events are accepted when there are no secrets', async () => {
  const { call } = await runReceiver(rig, { secrets: [] });
  expect(await call('POST /events', boarding(), { 'content-type': STRUCTURED })).toMatchObject({
    status: 202,
  });
});
