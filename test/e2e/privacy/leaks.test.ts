import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { workflowId } from '../../../src/messages/ids.js';
import type { BusinessOnboardingInput, CustomerOnboardingInput } from '../../../src/messages/inputs.js';
import { freePort, startDevServer } from '../../../src/temporal/dev-server.js';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.js';
import { startOperation } from '../../../src/temporal/start.js';
import { gangway } from '../../rigs/command.js';
import { countingProxy } from '../../rigs/counting-proxy.js';
import { SECRET, subscriber } from '../../rigs/events/subscriber.js';
import { terminal } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { holderOf, merchantOf, ownersOf } from '../../rigs/privacy/marked-inputs.js';
import { found, type Markers, markers, settingMarkers } from '../../rigs/privacy/markers.js';
import { bytesIn, kept } from '../../rigs/privacy/places.js';
import { launch } from '../../rigs/processes.js';
import { TOKEN } from '../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { collector } from '../../rigs/tracing/collector.js';

/** Everything that an operator of the Temporal server, or of its logs and metrics, could read. */
interface Places {
  readonly histories: Buffer;
  /** Histories as JSON, as people export and keep them. */
  readonly recordings: Buffer;
  readonly visibility: Buffer;
  readonly database: Buffer;
  readonly logs: Buffer;
  readonly metrics: Buffer;
  readonly traces: Buffer;
  /** The outbound events that a receiver got. */
  readonly outboundEvents: Buffer;
  /** The bundles that a user may send to somebody else. */
  readonly bundles: Buffer;
}

describe('private values, each marked, in onboardings with failures of every kind', () => {
  it('are found nowhere', async () => {
    const marked = markers();
    const { tokens, settings, ...places } = await live(marked, {});
    expect(Object.keys(tokens).length).toBeGreaterThanOrEqual(2);
    expect(Object.keys({ ...marked, ...settings })).toHaveLength(44);
    const hits = Object.entries(places).flatMap(([place, bytes]) =>
      found(bytes, { ...marked, ...tokens, ...settings }).map((name) => `${name} in ${place}`),
    );
    expect(hits).toEqual([]);
    for (const bytes of Object.values(places)) expect(bytes.length).toBeGreaterThan(1_000);
  }, 240_000);

  it('are found by the same search when payloads are not encrypted', async () => {
    const marked = markers();
    const { histories, recordings, database, visibility, ...elsewhere } = await live(marked, {
      payloadKeys: '',
    });
    // Credentials never go through Temporal.
    const { password: _, deviceToken: _1, ...sent } = marked;
    expect(found(histories, sent).sort()).toEqual(Object.keys(sent).sort());
    expect(found(recordings, sent).sort()).toEqual(Object.keys(sent).sort());
    expect(found(database, sent).sort()).toEqual(Object.keys(sent).sort());
    // The memo.
    expect(found(visibility, marked)).toEqual(['dba']);
    const { tokens: _2, settings: _3, ...places } = elsewhere;
    expect(Object.values(places).flatMap((bytes) => found(bytes, marked))).toEqual([]);
  }, 240_000);
});

/** Boards and onboards with a real server that keeps its data in a file, a real worker process and the real command. */
async function live(
  marked: Markers,
  options: { payloadKeys?: string },
): Promise<Places & Readonly<Record<'tokens' | 'settings', Readonly<Record<string, string>>>>> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-privacy-'));
  const server = await startDevServer({ databaseFile: join(folder, 'temporal.db') });
  const metricsPort = await freePort();
  const settings = settingMarkers();
  const rig = await createRig({
    address: server.address,
    worker: false,
    // Lists and logs have the dba by default, which is no secret.
    dbaForm: 'masked',
    sandbox: { password: marked.password },
    ...options,
  });
  try {
    await registerSearchAttributes(rig.client);
    const bank = await countingProxy(rig.sandbox.url);
    const crm = await subscriber();
    const otlp = await collector();
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
    const printed = await runJourneys(rig, env, marked);
    const bundles = await bundled({ ...env, ...settings }, rig.documentDir);
    const metrics = Buffer.from(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).arrayBuffer());
    worker.child.kill('SIGTERM');
    await worker.exit;
    otlp.close();
    const outboundEvents = Buffer.from(crm.received.map(({ body }) => body).join('\n'));
    const places = {
      ...(await storedByTemporal(rig)),
      metrics,
      traces: otlp.bytes(),
      outboundEvents,
      bundles,
      logs: Buffer.from(worker.stderr() + printed),
    };
    await rig.close();
    const bearers = new Set(
      bank.seen().flatMap(({ authorization = '' }) => authorization.split(' ')[1] ?? []),
    );
    const tokens = Object.fromEntries([...bearers].map((token, index) => [`token ${index + 1}`, token]));
    await server.stop();
    return { ...places, tokens, settings, database: await bytesIn(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A bundle of each onboarding. Its worker runs, and its settings are partly wrong. */
async function bundled(env: Record<string, string>, folder: string): Promise<Buffer> {
  const types = ['customerOnboarding', 'businessOnboarding', 'terminalProvisioning'] as const;
  const keys = {
    customerOnboarding: 'marked',
    businessOnboarding: 'marked-too',
    terminalProvisioning: 'marked',
  };
  const bundles = types.map(async (type) => {
    const file = join(folder, `${type}.json`);
    const { code, stdout, stderr } = await gangway(env, [
      'bundle',
      workflowId(type, keys[type]),
      '--output',
      file,
    ]);
    expect(code, stderr).toBe(0);
    const { doctor, metrics, workflows } = JSON.parse(await readFile(file, 'utf8'));
    expect(metrics.length).toBeGreaterThan(10);
    expect(workflows[0].state.timeline.length).toBeGreaterThan(1);
    expect(doctor.length).toBeGreaterThan(10);
    return stdout + (await readFile(file, 'utf8'));
  });
  return Buffer.from((await Promise.all(bundles)).join('\n'));
}

/** Returns what the commands printed on standard error. */
async function runJourneys(rig: Rig, env: Record<string, string>, marked: Markers): Promise<string> {
  const { sandbox } = rig;
  // Failures of each kind: rejected, not sent, 429, uncertain, 500; each error response may quote the request.
  await sandbox.plan('429', 'create-merchant', { milliseconds: 100 });
  await sandbox.plan('500-before-commit', 'get-fees', { times: 1 });
  await sandbox.plan('drop-after-commit', 'submit-merchant');
  await sandbox.plan('drop-after-commit', 'submit-business-account-holder');
  await sandbox.plan('expired-token', 'list-new-tickets');

  const received = await receive(env, marked);
  const customer = new Onboarding(rig.client, workflowId('customerOnboarding', 'marked'));
  await Promise.all([
    onboardBoth(rig, customer, env, marked),
    changeAddress(rig, marked),
    provideTerminal(rig, marked),
  ]);
  const shown = await Promise.all(
    ['status', 'watch'].map((command) => gangway(env, [command, customer.workflowId])),
  );
  return [received, ...shown.map(({ stderr }) => stderr)].join('');
}

/**
 * Starts the customer by REST, and sends what is refused: other bodies, wrong fields, no JSON, events that nobody signed. Answers
 * what the receiver logged.
 */
async function receive(env: Record<string, string>, marked: Markers): Promise<string> {
  const settings = {
    RECEIVER_ADDRESS: '127.0.0.1:0',
    RECEIVER_METRICS_ADDRESS: '127.0.0.1:0',
    RECEIVER_TOKENS: TOKEN,
    RECEIVER_SECRETS: SECRET,
    RECEIVER_BANKING_AUTH: 'none',
  };
  const receiver = await launch('receiver', { ...env, ...settings }, 'receiver is ready');
  const line =
    receiver
      .stderr()
      .split('\n')
      .find((each) => each.includes('receiver is ready')) ?? '';
  const { url, metrics: metricsUrl } = JSON.parse(line) as { url: string; metrics: string };
  const send = async (path: string, method: string, body: string, type = 'application/json') => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
    const response = await fetch(url + path, { method, headers, body });
    return [response.status, await response.text()] as const;
  };
  const { externalId, ...input } = customerOf(marked);
  const body = { type: 'customer', ...input };
  const put = (changed: object) => send(`/onboardings/${externalId}`, 'PUT', JSON.stringify(changed));
  const wrong = {
    ...body,
    business: { ...body.business, holder: { ...body.business.holder, ssn: marked.ein.slice(1) } },
  };
  const replies = [
    await put(body),
    await put(body),
    await put({ ...body, onDecline: 'cancel-other' }),
    await put({ ...wrong, [marked.ssn]: marked.email }),
    await send(`/onboardings/m-${marked.ssn}`, 'PUT', JSON.stringify(body)),
    await send('/onboardings/other', 'PUT', JSON.stringify(body).slice(0, -1)),
    await send('/events', 'POST', JSON.stringify({ data: body }), 'application/cloudevents+json'),
    await send('/webhooks/banking', 'POST', JSON.stringify(body)),
    await send(`/${marked.ssn}/${encodeURIComponent(marked.street)}?email=${marked.email}`, 'POST', '{}'),
  ];
  expect(replies.map(([status]) => status)).toEqual([202, 200, 409, 422, 422, 400, 401, 202, 404]);
  const { ssn: _, ...others } = marked;
  expect(found(Buffer.from(replies.map(([, text]) => text).join('\n')), others)).toEqual([]);
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
  receiver.child.kill('SIGTERM');
  await receiver.exit;
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
    { taskQueue },
  );
  // Not six digits: our own check rejects it and names the field.
  await client.workflow.getHandle(workflowId).result();
}

async function answerByCommand(
  customer: Onboarding,
  env: Record<string, string>,
  marked: Markers,
): Promise<void> {
  const by = ['--actor', marked.actor, '--reason', marked.reason];
  const note = await customer.requirement('underwriting-note');
  const resolved = await gangway(env, [
    'resolve',
    customer.workflowId,
    note.id,
    '--text',
    marked.noteAnswer,
    ...by,
  ]);
  expect(resolved.code, resolved.stderr).toBe(0);
  const ticket = await customer.requirement('ticket');
  const replied = await gangway(env, [
    'resolve',
    customer.workflowId,
    ticket.id,
    '--text',
    marked.ticketAnswer,
    ...by,
  ]);
  expect(replied.code, replied.stderr).toBe(0);
}

/** A payments account that is refused at first, then lost and found. */
async function provideTerminal({ client, sandbox, taskQueue }: Rig, marked: Markers): Promise<void> {
  const address = { street_line1: marked.accountStreet, city: 'Albany', state: 'NY', zip: '12207' };
  const personal = { admin_email: marked.adminEmail, tax_id: marked.taxId };
  const account = { name: marked.dba, address, parent_id: 'none', ...personal };
  const input = { externalId: 'marked', mid: '4711', provisionTerminal: terminal({ account }) };
  const id = workflowId('terminalProvisioning', 'marked');
  await client.workflow.start('terminalProvisioning', { taskQueue, workflowId: id, args: [input] });
  const provisioning = new Onboarding(client, id);
  const { id: rejected } = await provisioning.requirement('rejected-input');
  await sandbox.plan('500-after-commit', 'create-account');
  const patch = { provisionTerminal: { account: { parent_id: null } } };
  await provisioning.resolve(rejected, { kind: 'correction', patch }, marked.actor, marked.reason);
  expect(await provisioning.outcome()).toMatchObject({ outcome: 'provisioned' });
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

async function storedByTemporal({
  client,
}: Rig): Promise<Pick<Places, 'histories' | 'recordings' | 'visibility'>> {
  const histories: Buffer[] = [];
  const recordings: string[] = [];
  const visibility: Buffer[] = [];
  for await (const execution of kept(client)) {
    histories.push(execution.bytes);
    recordings.push(historyToJSON(execution.history));
    visibility.push(execution.visibility);
  }
  return {
    histories: Buffer.concat(histories),
    recordings: Buffer.from(recordings.join('\n')),
    visibility: Buffer.concat(visibility),
  };
}
