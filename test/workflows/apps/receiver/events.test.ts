import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import {
  BATCHED,
  event,
  problemOf,
  runReceiver,
  STRUCTURED,
} from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

const inStructured = { 'content-type': STRUCTURED };
const inBatch = { 'content-type': BATCHED };

describe('an event', () => {
  it('in structured mode starts its onboarding', async () => {
    const { post } = await runReceiver(rig);
    const id = `m-${randomUUID()}`;
    const body = `{
      "specversion": "1.0", "id": "e-1", "source": "https://crm.example.com/applications",
      "type": "merchant.boarding.requested.v1", "time": "2026-11-21T10:00:00Z", "datacontenttype": "application/json",
      "data": {
        "externalId": "${id}",
        "merchant": {
          "dba": "Corner Bakery", "firstName": "Ada", "lastName": "Baker", "cashDiscount": "No", "pos": "None"
        },
        "agentProfileId": 101, "boardingSettingsId": 11
      }
    }`;
    const { status, headers, text } = await post(body, {
      'content-type': 'application/cloudevents+json;charset=UTF-8',
    });
    expect([status, text]).toEqual([202, `{"workflowId":"merchant-boarding-${id}"}`]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const boarding = new Onboarding(rig.client, `merchant-boarding-${id}`);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    // Alone catches an event that nobody can trace to its sender.
    const { timeline } = await boarding.state();
    const actor = 'https-crm-example-com-applications (event)';
    expect(timeline[0]).toEqual({ at: expect.any(String), event: 'started', actor });
  });

  const input = merchant();
  const { data, ...attributes } = event('merchant.boarding.requested.v1', input);
  it.each<[string, object, Record<string, string>]>([
    [
      'in binary mode has its attributes in headers',
      input,
      {
        'content-type': 'application/json; charset=utf-8',
        'ce-specversion': '1.0',
        'ce-id': 'msg_1',
        'ce-source': '%2Fcrm',
        'ce-type': 'merchant.boarding.requested.v1',
        'ce-traceparent': '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    ],
    [
      'may have its data in base64',
      { ...attributes, data_base64: Buffer.from(JSON.stringify(data)).toString('base64') },
      inStructured,
    ],
  ])('%s', async (_, body, headers) => {
    const { post } = await runReceiver(rig);
    const { status, text } = await post(JSON.stringify(body), headers);
    expect([status, text]).toEqual([202, `{"workflowId":"merchant-boarding-${input.externalId}"}`]);
  });

  it.each([
    ['merchant.boarding.requested.v1', 'merchant-boarding', merchant],
    ['business.onboarding.requested.v1', 'business-onboarding', business],
    ['customer.onboarding.requested.v1', 'customer-onboarding', customer],
  ])('of type %s may be repeated, and gets the same response', async (type, prefix, input) => {
    const { post } = await runReceiver(rig);
    const data = input();
    const body = JSON.stringify(event(type, data));
    const responses = await Promise.all([1, 2, 3].map(() => post(body, inStructured)));
    const workflowId = `${prefix}-${data.externalId}`;
    await new Onboarding(rig.client, workflowId).outcome();
    const writes = await rig.sandbox.writes(data.externalId);
    expect(writes.filter((write) => write === 'create-merchant')).toHaveLength(
      prefix.startsWith('b') ? 0 : 1,
    );
    for (const { status, text } of [...responses, await post(body, inStructured)])
      expect([status, text]).toEqual([202, `{"workflowId":"${workflowId}"}`]);
  });
});

describe('a batch', () => {
  it('is validated as a whole before anything is started', async () => {
    const { post } = await runReceiver(rig);
    const [one, two] = [merchant(), merchant()];
    const wrong = { ...two, agentProfileId: 'x' };
    const body = [
      event('merchant.boarding.requested.v1', one),
      event('merchant.boarding.requested.v1', wrong, { source: '' }),
      event('merchant.boarding.imagined.v1', {}),
    ];
    const reply = await post(JSON.stringify(body), inBatch);
    expect(problemOf(reply)).toEqual({
      type: 'urn:gangway:problem:unknown-event-type',
      title: 'The event type is unknown',
      status: 422,
      detail:
        'known types: merchant.boarding.requested.v1, business.onboarding.requested.v1, ' +
        'customer.onboarding.requested.v1, requirement.resolved.v1, documents.received.v1; the request had no effect',
      errors: [
        { field: '1.source', message: 'is required' },
        { field: '1.data.agentProfileId', message: 'must be a whole number such as 12' },
        { field: '2.type', message: 'is not a known type' },
      ],
    });
    const handle = rig.client.workflow.getHandle(`merchant-boarding-${one.externalId}`);
    await expect(handle.describe()).rejects.toThrow();
  });

  it('may have a hundred events at most', async () => {
    const { post } = await runReceiver(rig);
    const many = Array.from({ length: 101 }, () => event('x', {}));
    expect(problemOf(await post(JSON.stringify(many), inBatch))).toMatchObject({
      status: 413,
      detail: 'a batch may have at most 100 events',
    });
  });
});
