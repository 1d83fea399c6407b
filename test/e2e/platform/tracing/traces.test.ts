import { expect, it, onTestFinished } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { fileWith } from '../../../rigs/folders.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { launch } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { collector, type Span } from '../../../rigs/tracing/collector.js';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const CRM = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const traceparent = ({ traceId, spanId }: typeof CALLER) => `00-${traceId}-${spanId}-01`;

it('one trace leads from the event, or the command, down to the call of the partner', async () => {
  const otlp = await collector();
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const env = { ...rig.env, OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url };
  const [worker, receiver] = await Promise.all([
    launch('worker', env, 'worker is ready'),
    launch('receiver', { ...env, RECEIVER_ADDRESS: '127.0.0.1:0' }, 'receiver is ready'),
  ]);
  const { url } = receiver.addresses();

  const input = merchant();
  const data = JSON.stringify({
    specversion: '1.0',
    id: 'e-1',
    source: '/crm',
    type: 'merchant.boarding.requested.v1',
    traceparent: traceparent(CRM),
    data: input,
  });
  const headers = { 'content-type': 'application/cloudevents+json', traceparent: traceparent(CALLER) };
  expect((await fetch(`${url}/events`, { method: 'POST', headers, body: data })).status).toBe(202);
  await new Onboarding(rig.client, `merchant-boarding-${input.externalId}`).outcome();

  const file = await fileWith(JSON.stringify(merchant('declined')));
  expect((await gangway(env, ['board', file, '--wait'])).code).toBe(0);
  expect([await worker.stop(), await receiver.stop()]).toEqual([0, 0]);

  const spans = otlp.spans();
  const request = the(spans, 'POST /events');
  expect([request.traceId, request.parent]).toEqual([CALLER.traceId, CALLER.spanId]);
  const ofEvent = spans.filter(({ traceId }) => traceId === CRM.traceId);
  const chain = pathTo(ofEvent, the(ofEvent, 'boarding create-merchant'));
  expect(chain.map(({ service, name }) => `${service}: ${name}`)).toEqual([
    'gangway-receiver: event merchant.boarding.requested.v1',
    'gangway-receiver: StartWorkflow:merchantBoarding',
    'gangway-worker: RunWorkflow:merchantBoarding',
    'gangway-worker: RunActivity:createMerchant',
    'gangway-worker: boarding create-merchant',
  ]);
  expect(chain[0]?.parent).toBe(CRM.spanId);
  expect(chain.at(-1)).toMatchObject({
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'gangway.system': 'boarding',
      'gangway.operation': 'create-merchant',
    },
    events: 0,
    status: 0,
  });
  // Each poll is there, and a poll without a status change has not failed.
  const polls = ofEvent.filter(({ name }) => name === 'RunActivity:awaitStatusChange');
  expect(polls.length).toBeGreaterThan(0);
  expect(polls.map(({ status }) => status)).toEqual(polls.map(() => 0));

  const command = the(spans, 'gangway board');
  const ofCommand = spans.filter(({ traceId }) => traceId === command.traceId);
  expect(pathTo(ofCommand, the(ofCommand, 'boarding submit-merchant')).map(({ name }) => name)).toEqual([
    'gangway board',
    'StartWorkflow:merchantBoarding',
    'RunWorkflow:merchantBoarding',
    'RunActivity:submitMerchant',
    'boarding submit-merchant',
  ]);
  expect([command.service, command.parent]).toEqual(['gangway', '']);
  expect(spans.filter(({ message, events }) => message !== '' || events > 0)).toEqual([]);
}, 240_000);

it('a command exports its span each time it runs with the setting, and none without it', async () => {
  const otlp = await collector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_RESOURCE_ATTRIBUTES: 'deployment=test' };
  for (const settings of [env, {}, { ...env, OTEL_SERVICE_NAME: 'ops' }])
    expect((await gangway(settings, ['keys', 'new'])).code).toBe(0);
  expect(otlp.spans().map(({ service, name }) => [service, name])).toEqual([
    ['gangway', 'gangway keys'],
    ['ops', 'gangway keys'],
  ]);
});

function the(spans: readonly Span[], name: string): Span {
  const [span, ...more] = spans.filter((one) => one.name === name);
  if (!span || more.length > 0) throw new Error(`${more.length + (span ? 1 : 0)} spans ${name}`);
  return span;
}

/** From the first that was exported down to `span`. */
function pathTo(spans: readonly Span[], span: Span): Span[] {
  const cause = spans.find(({ spanId }) => spanId === span.parent);
  return cause ? [...pathTo(spans, cause), span] : [span];
}
