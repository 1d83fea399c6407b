import { afterEach, describe, expect, it } from 'vitest';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { problemOf, runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();
afterEach(() => rig.clear());

const authorization = `Bearer ${TOKEN}`;

async function api(options: Parameters<typeof runReceiver>[1] = {}) {
  const { call, log } = await runReceiver(rig, { documentDir: rig.documentDir, ...options });
  const get = (path: string) => call(`GET /v1${path}`, undefined, { authorization });
  const send = (line: string, body: unknown, more = {}) => {
    const [method, path] = line.split(' ');
    return call(`${method} /v1${path}`, JSON.stringify(body), {
      ...{ 'content-type': 'application/json', authorization, ...more },
    });
  };
  return { call, get, send, log };
}

describe('a program', () => {
  it('starts an onboarding, waits for its questions, answers them with a document, and reads the mid', async () => {
    const { call, get, send } = await api();
    const { externalId, ...input } = merchant('notes');
    const workflowId = `merchant-boarding-${externalId}`;
    expect((await send(`PUT /onboardings/${externalId}`, { type: 'merchant', ...input })).status).toBe(202);
    const waiting = async () => {
      const { text, status } = await get(`/requirements?onboarding=${workflowId}`);
      expect([status, text]).toEqual([200, text]);
      return JSON.parse(text).requirements;
    };
    await expect.poll(waiting).toHaveLength(2);
    const [first, second] = await waiting();
    console.log(first, second);
    const one = await get(`/requirements/${workflowId}/${first.id}`);
    console.log(one.status, one.text);
    const answered = await send(`POST /requirements/${workflowId}/${first.id}/answer`, {
      answer: { kind: 'text', text: 'One sale in ten.' },
      reason: 'asked',
      person: 'Ada Park',
    });
    console.log(answered.status, answered.text);
    const form = new FormData();
    form.append('file', new File(['void'], 'check.txt', { type: 'text/plain' }));
    const stored = await call('POST /v1/documents', form, { authorization });
    console.log(stored.status, stored.text);
    const again = await send(`POST /requirements/${workflowId}/${second.id}/answer`, {
      answer: { kind: 'documents', documents: [JSON.parse(stored.text)] },
      reason: 'asked',
    });
    console.log(again.status, again.text);
    const late = await send(`POST /requirements/${workflowId}/${first.id}/answer`, {
      answer: { kind: 'text', text: 'One sale in ten.' },
      reason: 'asked',
      person: 'Bo Baker',
    });
    console.log(late.status, late.text);
    await new Onboarding(rig.client, workflowId).outcome();
    console.log((await get(`/onboardings/${workflowId}`)).text);
    console.log((await get(`/onboardings?externalId=${externalId}`)).text);
    console.log((await get(`/onboardings/${workflowId}/timeline`)).text);
    console.log((await get(`/report`)).text);
    for (const path of [
      '/onboardings?cursor=xyz',
      '/requirements?cursor=xyz',
      '/onboardings?foo=1&limit=0',
      '/onboardings/merchant-boarding-nobody',
      '/requirements/nobody/x',
    ])
      console.log(path, (await get(path)).text);
  });
});
