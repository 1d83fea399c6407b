import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../../src/apps/demo/dev-server.js';
import { workflowId } from '../../../../src/messages/ids.js';
import type { BusinessOnboardingInput, CustomerOnboardingInput } from '../../../../src/messages/inputs.js';
import { decodePayloads, encryptedIn } from '../../../../src/temporal/payload-codec.js';
import { startOperation } from '../../../../src/temporal/start.js';
import { gangway } from '../../../rigs/command.js';
import { countingProxy } from '../../../rigs/counting-proxy.js';
import { SECRET, subscriber } from '../../../rigs/events/subscriber.js';
import { newFolder } from '../../../rigs/folders.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { holderOf, merchantOf, ownersOf } from '../../../rigs/privacy/marked-inputs.js';
import { found, type Markers, markers, settingMarkers } from '../../../rigs/privacy/markers.js';
import { bytesIn, kept } from '../../../rigs/privacy/places.js';
import { launch } from '../../../rigs/processes.js';
import { CRM, clientsFile, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { shared, type Until } from '../../../rigs/shared.js';
import { startTemporal } from '../../../rigs/temporal-server.js';
import { collector } from '../../../rigs/tracing/collector.js';
import { variants } from '../../../rigs/variants.js';

/** Onboardings with failures of every kind, and a workflow without encryption that holds other markers. */
const everything = shared(async (until) => {
  const [marked, plain] = [markers(), markers()];
  return { marked, plain, ...(await live(marked, plain, until)) };
});

// Proves M1.
describe('private values, each marked, in onboardings with failures of every kind', () => {
  it('are found nowhere, although each was sent', () => {
    const { marked, tokens, settings, decoded, places } = everything();
    expect(Object.keys(tokens).length).toBeGreaterThanOrEqual(2);
    expect(Object.keys({ ...marked, ...settings })).toHaveLength(41);
    const hits = Object.entries(places).flatMap(([place, bytes]) =>
      found(bytes, { ...marked, ...tokens, ...settings }).map((name) => `${name} in ${place}`),
    );
    expect(hits).toEqual([]);
    for (const bytes of Object.values(places)) expect(bytes.length).toBeGreaterThan(1_000);
    // Credentials never go through Temporal.
    const { password: _, deviceToken: _1, ...sent } = marked;
    expect(found(decoded, sent).sort()).toEqual(Object.keys(sent).sort());
  });

  it('are found by the same search in a workflow that is not encrypted', () => {
    const { plain, unencrypted, places } = everything();
    for (const bytes of [unencrypted.histories, unencrypted.recordings, places.database])
      expect(found(bytes, plain).sort()).toEqual(Object.keys(plain).sort());
    expect(found(unencrypted.visibility, plain)).toEqual(['dba']);
  });
});

/** What a server has of a workflow without encryption, in a namespace of its own. */
async function unencryptedAt(address: string, marked: Markers) {
  const rig = await createRig({ address, worker: false, payloadKeys: '', ownNamespace: true });
  const plain = { args: [marked], memo: { dba: marked.dba } };
  const { taskQueue } = rig;
  await rig.client.workflow.start('anything', { taskQueue, workflowId: 'plain', ...plain });
  await new Onboarding(rig.client, 'plain').listed();
  const stored = await storedByTemporal(rig);
  await rig.close();
  return stored;
}

/**
 * Boards and onboards with a real server that keeps its data in a file, a real worker process and the real command.
 *
 * @returns all that an operator of the Temporal server, or of its logs and metrics, could read, and what else to search for
 */
async function live(marked: Markers, plain: Markers, until: Until) {
  const folder = await newFolder(until);
  const server = await startTemporal({ databaseFile: join(folder, 'temporal.db') });
  const metricsPort = await freePort();
  const settings = settingMarkers();
  const rig = await createRig({
    address: server.address,
    worker: false,
    // Lists and logs have the dba by default, which is no secret.
    dbaForm: 'masked',
    sandbox: { password: marked.password },
  });
  const bank = await countingProxy(rig.sandbox.url, until);
  const crm = await subscriber(SECRET, until);
  const otlp = await collector(until);
  const env = {
    ...rig.env,
    GANGWAY_LOG_LEVEL: 'trace',
    GANGWAY_POLL_MAX: '3s',
    GANGWAY_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    BOARDING_PASSWORD: marked.password,
    PAYMENTS_API_KEY: marked.password,
    BANKING_URL: bank.url,
    BANKING_PASSWORD: marked.password,
    BANKING_DEVICE_TOKEN: marked.deviceToken,
    EVENTS_URLS: crm.url,
    EVENTS_SECRETS: SECRET,
    EVENTS_TO_LOOPBACK: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
  };
  const worker = await launch('worker', env, 'worker is ready');
  const printed = await runOnboardings(rig, env, marked);
  const bundles = await bundled({ ...env, ...settings }, rig.documentDir);
  const metrics = Buffer.from(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).arrayBuffer());
  await worker.stop();
  const { decoded, ...stored } = await storedByTemporal(rig);
  const unencrypted = await unencryptedAt(server.address, plain);
  await rig.close();
  await server.stop();
  const bearers = new Set(bank.seen().flatMap(({ authorization = '' }) => authorization.split(' ')[1] ?? []));
  return {
    settings,
    decoded,
    unencrypted,
    tokens: Object.fromEntries([...bearers].map((token, index) => [`token ${index + 1}`, token])),
    places: {
      ...stored,
      metrics,
      bundles,
      traces: otlp.bytes(),
      database: await bytesIn(folder),
      outboundEvents: Buffer.from(crm.received.map(({ body }) => body).join('\n')),
      logs: Buffer.from(worker.stderr() + printed),
    },
  };
}

/** A bundle of each onboarding, which a user may send to somebody else. Its worker runs, and its settings are partly wrong. */
async function bundled(env: Record<string, string>, folder: string): Promise<Buffer> {
  const onboardings = variants<readonly [type: Parameters<typeof workflowId>[0], key: string]>(
    [['customerOnboarding', 'marked']],
    [['businessOnboarding', 'marked-too']],
  );
  const bundles = onboardings.map(async ([type, key]) => {
    const file = join(folder, `${type}.json`);
    const { code, stdout, stderr } = await gangway(env, ['bundle', workflowId(type, key), '--output', file]);
    expect(code, stderr).toBe(0);
    const text = await readFile(file, 'utf8');
    const { doctor, metrics, workflows } = JSON.parse(text);
    expect(metrics.length).toBeGreaterThan(10);
    expect(workflows[0].state.timeline.length).toBeGreaterThan(1);
    expect(doctor.length).toBeGreaterThan(10);
    return stdout + text;
  });
  return Buffer.from((await Promise.all(bundles)).join('\n'));
}

/** Returns what the commands printed on standard error. */
async function runOnboardings(rig: Rig, env: Record<string, string>, marked: Markers): Promise<string> {
  const { sandbox } = rig;
  // Failures of each kind: rejected, not sent, 429, uncertain, 500; each error response may quote the request.
  await sandbox.plan('429', 'create-merchant', { milliseconds: 100 });
  await sandbox.plan('500-before-commit', 'get-fees', { times: 1 });
  await sandbox.plan('drop-after-commit', 'submit-merchant');
  await sandbox.plan('drop-after-commit', 'submit-business-account-holder');
  await sandbox.plan('expired-token', 'list-new-tickets');

  const received = await receive(env, marked);
  const customer = new Onboarding(rig.client, workflowId('customerOnboarding', 'marked'));
  await Promise.all([onboardBoth(rig, customer, env, marked), changeAddress(rig, marked)]);
  const lines = await Promise.all(
    variants(['status'], ['watch']).map((command) => gangway(env, [command, customer.workflowId])),
  );
  return [received, ...lines.map(({ stderr }) => stderr)].join('');
}

/**
 * Starts the customer by REST, and sends what is refused: other bodies, wrong fields, no JSON, events that nobody signed. Answers
 * what the receiver logged.
 */
async function receive(env: Record<string, string>, marked: Markers): Promise<string> {
  const settings = {
    RECEIVER_ADDRESS: '127.0.0.1:0',
    RECEIVER_METRICS_ADDRESS: '127.0.0.1:0',
    API_CLIENTS_FILE: clientsFile([CRM]),
    RECEIVER_SECRETS: SECRET,
    RECEIVER_BANKING_AUTH: 'none',
  };
  const receiver = await launch('receiver', { ...env, ...settings }, 'receiver is ready');
  const { url, metrics: metricsUrl } = receiver.addresses();
  const send = async (path: string, method: string, body: string, type = 'application/json') => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
    const response = await fetch(url + path, { method, headers, body });
    return [response.status, await response.text()] as const;
  };
  const { externalId, ...input } = customerOf(marked);
  const body = { type: 'customer', ...input };
  const put = (changed: object) => send(`/v1/onboardings/${externalId}`, 'PUT', JSON.stringify(changed));
  const wrong = {
    ...body,
    business: { ...body.business, holder: { ...body.business.holder, ssn: marked.ein.slice(1) } },
  };
  const replies = [
    await put(body),
    await put(body),
    await put({ ...body, onDecline: 'cancel-other' }),
    await put({ ...wrong, [marked.ssn]: marked.email }),
    await send(`/v1/onboardings/m-${marked.ssn}`, 'PUT', JSON.stringify(body)),
    await send('/v1/onboardings/other', 'PUT', JSON.stringify(body).slice(0, -1)),
    await send('/events', 'POST', JSON.stringify({ data: body }), 'application/cloudevents+json'),
    await send('/webhooks/banking', 'POST', JSON.stringify(body)),
    await send(`/${marked.ssn}/${encodeURIComponent(marked.street)}?email=${marked.email}`, 'POST', '{}'),
  ];
  expect(replies.map(([status]) => status)).toEqual([202, 200, 409, 422, 422, 400, 401, 202, 404]);
  const { ssn: _, ...others } = marked;
  expect(found(Buffer.from(replies.map(([, text]) => text).join('\n')), others)).toEqual([]);
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
  await receiver.stop();
  return receiver.stderr() + metrics;
}

/** A customer with a note and a ticket, and a business of its own. */
async function onboardBoth(
  rig: Rig,
  customer: Onboarding,
  env: Record<string, string>,
  marked: Markers,
): Promise<void> {
  const { sandbox } = rig;
  const { id: rejected } = await customer.requirement('rejected-input');
  const patch = { agentProfileId: 101 };
  await customer.resolve(rejected, { kind: 'correction', patch }, marked.actor, marked.reason);
  const { merchantProfileId = 0, profileId = 0 } = await customer.until(
    (state) => state.profileId !== undefined && state.boarding?.stage === 'underwriting',
    'both under way',
  );
  await sandbox.transition(merchantProfileId, { status: 'Pending Review', notes: [marked.note] });
  await sandbox.transitionProfile(profileId, {
    bankingStatus: 'PendingUW',
    tickets: [{ text: marked.ticket }],
  });
  await Promise.all([answerByCommand(customer, env, marked), onboardBusiness(rig, marked)]);
  await sandbox.transition(merchantProfileId, { status: 'Declined', comment: marked.comment });
  await sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
  await customer.outcome();
}

async function onboardBusiness(rig: Rig, marked: Markers): Promise<void> {
  const business = await rig.onboardBusiness(businessOf(marked));
  const { id: refused } = await business.requirement('rejected-input');
  await business.resolve(refused, { kind: 'correction', patch: { holder: { ssn: marked.correctedSsn } } });
  await business.outcome();
}

async function changeAddress({ client, taskQueue }: Rig, marked: Markers): Promise<void> {
  const address = { streetAddress: marked.homeStreet, postalCode: '12207', city: 'Albany', state: 33 };
  const code = { oneTimeCode: marked.code, secureOperationType: 'ShortMessageCode' } as const;
  const request = { ...address, ...code };
  const { workflowId } = await startOperation(
    client,
    { operation: 'change-address', key: 'marked', request },
    { fourEyes: [], taskQueue },
  );
  // Not six digits: our own check rejects it and names the field.
  await client.workflow.getHandle(workflowId).result();
}

async function answerByCommand(
  customer: Onboarding,
  env: Record<string, string>,
  marked: Markers,
): Promise<void> {
  for (const [kind, text] of [
    ['underwriting-note', marked.noteAnswer],
    ['ticket', marked.ticketAnswer],
  ] as const) {
    const { id } = await customer.requirement(kind);
    const by = ['--actor', marked.actor, '--reason', marked.reason];
    const { code, stderr } = await gangway(env, ['resolve', customer.workflowId, id, '--text', text, ...by]);
    expect(code, stderr).toBe(0);
  }
}

function customerOf(marked: Markers): CustomerOnboardingInput {
  return {
    externalId: 'marked',
    boarding: {
      merchant: merchantOf(marked, `${marked.dba} [waiting]`),
      // Rejected at first.
      agentProfileId: 999,
      boardingSettingsId: 11,
      application: { remark: marked.application },
      dueInHours: 48,
    },
    business: {
      holder: holderOf(marked, marked.ssn, `${marked.dba} [waiting]`),
      beneficialOwners: ownersOf(marked),
      dueInHours: 48,
    },
    onDecline: 'continue',
  };
}

/** A business whose SSN the sandbox refuses at first. */
function businessOf(marked: Markers): BusinessOnboardingInput {
  const refused = holderOf(marked, '219099999', `${marked.dba}-2`);
  return { externalId: 'marked-too', holder: refused, dueInHours: 48 };
}

/** What the server has of all workflows, and what their payloads hold. */
async function storedByTemporal({ client }: Rig) {
  const all = await Array.fromAsync(kept(client));
  const decoded = all.map(({ history }) => {
    const payloads = encryptedIn(history).map(({ payload }) => payload);
    return decodePayloads(client, payloads, undefined);
  });
  return {
    histories: Buffer.concat(all.map(({ bytes }) => bytes)),
    // Histories as JSON, as people export and keep them.
    recordings: Buffer.from(all.map(({ history }) => historyToJSON(history)).join('\n')),
    visibility: Buffer.concat(all.map(({ visibility }) => visibility)),
    decoded: Buffer.from(JSON.stringify(await Promise.all(decoded))),
  };
}
