import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { business, holder } from '../../../rigs/inputs.js';
import { runLink } from '../../../rigs/link/running-link.js';
import { clientsFile, clientWith, runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../../rigs/rig.js';

// A server that suggests a new run after a few dozen events, where a real one waits for thousands.
let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ continueAfter: 30 });
});
afterAll(() => rig.close());

const LINK_TOKEN = randomBytes(32).toString('hex');

// Alone catches a link that ends with a run, and messages about two fields that become one.
it('a link asks for fields, names each that does not fit, and lasts over several runs', async () => {
  const clients = [clientWith({}), clientWith({ name: 'page', scopes: ['link'] }, LINK_TOKEN)];
  const receiver = await runReceiver(rig, {
    documentDir: rig.documentDir,
    clientsFile: clientsFile(clients),
    linkUrl: 'https://answers.example.com',
  });
  const api = { url: receiver.url } as never;
  const page = await runLink({ api, settings: { LINK_API_TOKEN: LINK_TOKEN } });
  const whole = holder('waiting', { ssn: '123456789' });
  const onboarding = await rig.onboardBusiness(business(undefined, { holder: whole }));
  const { profileId = 0 } = await onboarding.until((state) => state.profileId !== undefined, 'the profile');
  const tickets = [{ text: 'A ticket' }];
  await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'PendingUW', tickets });
  const { id } = await onboarding.requirement('ticket');
  const clerk = async (action: string, body: object) => {
    const line = `POST /v1/requirements/${onboarding.workflowId}/${id}/${action}`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const sent = await receiver.call(line, JSON.stringify({ ...body, person: 'Ada Park' }), headers);
    expect([sent.status, sent.text]).toEqual([200, expect.any(String)]);
    return sent.json<{ url: string }>();
  };
  const fields = [
    { name: 'holder.phone', label: 'Phone' },
    { name: 'holder.ssn', label: 'SSN' },
  ];
  // Alone catches a merchant who is asked for what no answer may change, or no input has.
  const refused = async (name: string) => {
    const wants = { kind: 'fields', fields: [{ name, label: 'A field' }] };
    const line = `POST /v1/requirements/${onboarding.workflowId}/${id}/ask`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const body = JSON.stringify({ text: 'Which?', wants, person: 'Ada Park' });
    const { errors } = (await receiver.call(line, body, headers)).json<{ errors?: { message: string }[] }>();
    return errors?.[0]?.message;
  };
  expect(await refused('holder.phne')).toMatch(
    /^is no field that a text can fill in; did you mean holder\.phone/,
  );
  for (const name of ['externalId', 'constructor', 'holder', 'holder.toString.call'])
    expect(await refused(name)).toMatch(/^is no field that a text can fill in/);
  const { url } = await clerk('ask', { text: 'Which are right?', wants: { kind: 'fields', fields } });
  const link = new URL(url).pathname;
  const propose = (phone: string, ssn: string) =>
    page.open(`${link}/propose`, {
      method: 'POST',
      payload: String(new URLSearchParams({ 'field:holder.phone': phone, 'field:holder.ssn': ssn })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const runs = new Set<string>();
  for (let hours = 1; runs.size < 3 && hours < 60; hours++) {
    await clerk('claim', { hours });
    runs.add((await onboarding.handle.describe()).runId);
  }
  expect(runs.size).toBe(3);
  const wrong = await propose('x', 'y');
  expect(wrong.statusCode).toBe(422);
  const said = [...wrong.body.matchAll(/<a href="#([\w-]+)">([^<]+)</g)].map(([, field, text]) => [
    field,
    text,
  ]);
  expect(said).toEqual([
    ['field-holder-phone', 'Phone: must be 10 digits'],
    ['field-holder-ssn', expect.stringMatching(/^SSN: must be /)],
  ]);
  expect((await propose('5615550147', '123456780')).headers.location).toBe(link);
  const { requirements } = await onboarding.state();
  expect(requirements[0]?.proposal?.answer).toBe('correction: holder.phone, holder.ssn');
});
