import { describe, expect, it } from 'vitest';
import { business, customer, merchant } from '../../rigs/inputs.js';
import {
  event,
  OTHER_SECRET,
  problemOf,
  type Reply,
  runReceiver,
  SECRET,
  STRUCTURED,
  signed,
} from '../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

function boarding(): string {
  return JSON.stringify(event('merchant.boarding.requested.v1', merchant()));
}

async function send(
  signatures: (body: string) => Record<string, string>,
  secrets = [SECRET],
  sent = (body: string) => body,
): Promise<Reply> {
  const { call } = await runReceiver(rig, { secrets });
  const body = boarding();
  return call('POST /events', sent(body), { 'content-type': STRUCTURED, ...signatures(body) });
}

it('a signed event is accepted', async () => {
  expect(await send(signed)).toMatchObject({ status: 202 });
});

it('an event that is signed with the second of two secrets is accepted', async () => {
  expect(await send(signed, [OTHER_SECRET, SECRET])).toMatchObject({ status: 202 });
});

describe('an event is rejected', () => {
  it.each<[string, string, (body: string) => Record<string, string>]>([
    ['without a signature', 'missing: webhook-id, webhook-timestamp, webhook-signature', () => ({})],
    [
      'with a signature of another secret',
      'no signature is valid, or the timestamp is five minutes off',
      (body) => signed(body, { secret: OTHER_SECRET }),
    ],
  ])('%s', async (_, detail, signatures) => {
    expect(problemOf(await send(signatures))).toEqual({
      type: 'urn:gangway:problem:bad-signature',
      title: 'The signature is missing or wrong',
      status: 401,
      detail,
    });
  });

  it('when a byte of it was changed in transit', async () => {
    const reply = await send(signed, [SECRET], (body) => body.replace('Ada', 'Ida'));
    expect(problemOf(reply)).toMatchObject({ status: 401 });
  });

  it('before it is read', async () => {
    const { call } = await runReceiver(rig);
    const reply = await call('POST /events', '{', { 'content-type': STRUCTURED });
    expect(problemOf(reply)).toMatchObject({ status: 401 });
  });
});

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

  async function sendBinary(type: string, body: string, more: Record<string, string> = {}): Promise<Reply> {
    const { call } = await runReceiver(rig);
    return call('POST /events', body, {
      ...{ 'content-type': 'application/json', 'ce-specversion': '1.0' },
      ...{ 'ce-type': type, 'ce-source': '/crm', 'ce-id': 'msg_1' },
      ...signed(body),
      ...more,
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

  it('the id must be the signed one', async () => {
    const body = JSON.stringify(merchant());
    const [type = ''] = types;
    expect(await sendBinary(type, body)).toMatchObject({ status: 202 });
    expect(problemOf(await sendBinary(type, body, { 'ce-id': 'msg_2' }))).toEqual({
      type: 'urn:gangway:problem:bad-signature',
      title: 'The signature is missing or wrong',
      status: 401,
      detail: 'in binary mode ce-id must equal webhook-id, which is signed',
    });
  });

  it('an event that is signed in one mode is not valid in another', async () => {
    const [type = ''] = types;
    const asBinary = problemOf(await sendBinary(type, boarding()));
    expect(asBinary).toMatchObject({ status: 422, type: 'urn:gangway:problem:invalid' });
    const { post } = await runReceiver(rig);
    const asStructured = problemOf(await post(JSON.stringify(merchant()), { 'content-type': STRUCTURED }));
    expect(asStructured).toMatchObject({ status: 422, type: 'urn:gangway:problem:invalid' });
  });

  it('any id is accepted when there are no secrets', async () => {
    const { call } = await runReceiver(rig, { secrets: [] });
    const headers = {
      'ce-specversion': '1.0',
      'ce-type': types[0] ?? '',
      'ce-source': '/crm',
      'ce-id': 'e%201',
    };
    const body = JSON.stringify(merchant());
    const reply = await call('POST /events', body, { 'content-type': 'application/json', ...headers });
    expect(reply).toMatchObject({ status: 202 });
  });
});

it('a replayed message gets the same response as the first one', async () => {
  const { call } = await runReceiver(rig);
  const body = boarding();
  const headers = { 'content-type': STRUCTURED, ...signed(body) };
  const replies = [];
  for (let time = 0; time < 3; time++) replies.push(await call('POST /events', body, headers));
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(replies[0]?.status).toBe(202);
});

it('unsigned events are accepted when there are no secrets', async () => {
  const { call } = await runReceiver(rig, { secrets: [] });
  expect(await call('POST /events', boarding(), { 'content-type': STRUCTURED })).toMatchObject({
    status: 202,
  });
});
