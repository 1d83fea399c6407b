import { afterEach, describe, expect, it } from 'vitest';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import {
  clientsFile,
  clientWith,
  problemOf,
  type Reply,
  runReceiver,
  TOKEN,
} from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig({ ownNamespace: true });
afterEach(() => rig.clear());

const VOIDED = new File(['void'], 'check.txt', { type: 'text/plain' });

async function api({ scopes, ...options }: Parameters<typeof runReceiver>[1] & { scopes?: string[] } = {}) {
  const clients = scopes && { clientsFile: clientsFile([clientWith({ scopes })]) };
  const { call, log } = await runReceiver(rig, { documentDir: rig.documentDir, ...clients, ...options });
  const authorization = `Bearer ${TOKEN}`;
  const get = (path: string) => call(`GET /v1${path}`, undefined, { authorization });
  const send = (line: string, body: unknown, more = {}) => {
    const [method, path] = line.split(' ');
    const headers = { 'content-type': 'application/json', authorization, ...more };
    return call(`${method} /v1${path}`, JSON.stringify(body), headers);
  };
  const store = (file: File, name = 'file') => {
    const form = new FormData();
    form.append(name, file);
    return call('POST /v1/documents', form, { authorization });
  };
  return { call, get, send, store, log };
}

type Api = Awaited<ReturnType<typeof api>>;

const [CHECK, SHARE] = ['note-0e5ac65b83c0', 'note-13e54e3f88e6'];

/** Starts a merchant of which the underwriters ask for a check and for a share. */
async function twoNotes({ send }: Api, more: object = {}) {
  const { externalId, ...input } = merchant('notes');
  await send(`PUT /onboardings/${externalId}`, { type: 'merchant', ...input, ...more });
  const workflowId = `merchant-boarding-${externalId}`;
  const onboarding = new Onboarding(rig.client, workflowId);
  await onboarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  return { onboarding, workflowId, externalId, question: `/requirements/${workflowId}` };
}

const withText = (text: string, more: object = {}) => ({
  answer: { kind: 'text', text },
  reason: 'asked',
  ...more,
});

const statusAnd = ({ status, text }: Reply) => [status, JSON.parse(text)];

describe('a program', () => {
  it('starts an onboarding, answers its questions with a text and a document, and reads the mid', async () => {
    const crm = await api();
    const { onboarding, workflowId, externalId, question } = await twoNotes(crm);
    const { requirements } = (await crm.get(`/requirements?onboarding=${workflowId}`)).json<{
      requirements: object[];
    }>();
    const common = {
      workflowId,
      kind: 'underwriting-note',
      task: 'answer note',
      partner: 'boarding',
      overdue: false,
    };
    expect(requirements).toMatchObject([
      { ...common, id: CHECK },
      { ...common, id: SHARE },
    ]);
    expect((await crm.get(`${question}/${SHARE}`)).json()).toMatchObject({
      requirement: {
        id: SHARE,
        workflowId,
        kind: 'underwriting-note',
        detail: 'What share of sales is keyed in by hand?',
        answers: [{ kind: 'text' }, { kind: 'documents' }, { kind: 'abandon' }],
      },
    });
    const text = withText('One sale in ten.', { person: 'Ada Park' });
    expect(statusAnd(await crm.send(`POST ${question}/${SHARE}/answer`, text))).toEqual([
      200,
      { requirementId: SHARE, acceptedAt: expect.any(String), open: 1 },
    ]);
    const stored = await crm.store(VOIDED);
    expect(statusAnd(stored)).toEqual([
      201,
      { key: expect.stringMatching(/^[\w-]{36}\.txt$/), fileName: 'check.txt', contentType: 'text/plain' },
    ]);
    const documents = {
      answer: { kind: 'documents', documents: [stored.json()] },
      reason: 'The merchant sent it.',
    };
    // Alone catches an answer whose document does not exist: the question is gone, and the upload fails.
    const unknown = { ...stored.json<object>(), key: '0c8bfa0e-0000-4000-8000-000000000000.txt' };
    const wrong = { ...documents, answer: { kind: 'documents', documents: [unknown] } };
    expect(statusAnd(await crm.send(`POST ${question}/${CHECK}/answer`, wrong))).toEqual([
      422,
      expect.objectContaining({
        errors: [{ field: 'answer.documents.0.key', message: 'no document has this key' }],
      }),
    ]);
    expect((await crm.send(`POST ${question}/${CHECK}/answer`, documents)).status).toBe(200);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '518000000001001' });
    expect((await crm.get(`/onboardings/${workflowId}`)).json()).toMatchObject({
      workflowId,
      type: 'merchant',
      externalId,
      state: 'completed',
      stage: 'boarded',
      outcome: 'boarded',
      mid: '518000000001001',
      waiting: false,
      requirements: [],
    });
    const { entries } = (await crm.get(`/onboardings/${workflowId}/timeline`)).json<{
      entries: { actor?: string }[];
    }>();
    expect(entries.flatMap(({ actor }) => actor ?? [])).toEqual([
      'crm (API)',
      'crm (API), for Ada Park',
      'crm (API)',
    ]);
    const result = async (query: string) =>
      (await crm.get(`/onboardings?${query}`)).json<{ onboardings: { workflowId: string }[] }>().onboardings;
    for (const query of [`externalId=${externalId}`, 'mid=518000000001001', `find=${externalId}`])
      expect((await result(query)).map((each) => each.workflowId)).toEqual([workflowId]);
    for (const query of [
      'mid=518000000001002',
      'type=business',
      'state=running',
      'waiting=true',
      'account=acme',
    ])
      expect(await result(query)).toEqual([]);
    expect((await crm.get('/report')).json()).toMatchObject({ version: 1, running: 0, ended: 1 });
  });

  it('learns who was first', async () => {
    const crm = await api();
    const { onboarding, question } = await twoNotes(crm);
    await crm.send(`POST ${question}/${SHARE}/claim`, { person: 'Ada Park' });
    expect(
      problemOf(await crm.send(`POST ${question}/${SHARE}/claim`, { person: 'Bo Baker' })),
    ).toMatchObject({
      type: 'urn:gangway:problem:not-first',
      title: 'Somebody else was first',
      status: 409,
      first: { event: 'requirement-claimed', actor: 'crm (API), for Ada Park' },
    });
    expect(
      (await crm.send(`POST ${question}/${SHARE}/claim`, { person: 'Bo Baker', takeOver: true })).status,
    ).toBe(200);
    await crm.send(`POST ${question}/${SHARE}/answer`, withText('One in ten.', { person: 'Bo Baker' }));
    const late = problemOf(await crm.send(`POST ${question}/${SHARE}/answer`, withText('One in nine.')));
    expect(late).toEqual({
      type: 'urn:gangway:problem:not-open',
      title: 'The requirement is not open',
      status: 409,
      detail: 'no requirement with this ID is open',
      first: {
        event: 'requirement-resolved',
        at: expect.any(String),
        actor: 'crm (API), for Bo Baker',
        detail: `${SHARE}: text: One in ten.`,
        reason: 'asked',
      },
    });
    expect(problemOf(await crm.get(`${question}/${SHARE}`))).toMatchObject({
      type: 'urn:gangway:problem:unknown-requirement',
      status: 404,
      first: { actor: 'crm (API), for Bo Baker' },
    });
    await onboarding.handle.terminate();
    expect(problemOf(await crm.send(`POST ${question}/${CHECK}/remark`, { text: 'Late.' }))).toMatchObject({
      status: 409,
      detail: 'the onboarding has ended',
    });
  });

  it('learns each wrong field by its name in the request', async () => {
    const crm = await api();
    const { onboarding, question } = await twoNotes(crm);
    const errorsOf = async (path: string, body: object, more = {}) =>
      (problemOf(await crm.send(`POST ${question}/${SHARE}/${path}`, body, more)) as { errors: object })
        .errors;
    expect(await errorsOf('answer', { answer: { kind: 'text' }, person: 'a\nb' })).toEqual([
      { field: 'answer.text', message: 'is required' },
      { field: 'reason', message: 'is required' },
      { field: 'person', message: expect.stringContaining('must be 1 to 100 letters') },
    ]);
    expect(await errorsOf('answer', { answer: { kind: 'code', code: '123456' }, reason: 'x' })).toEqual([
      { field: 'answer.kind', message: `${SHARE} takes text, documents, abandon` },
    ]);
    expect(await errorsOf('claim', { hours: 1_000 })).toEqual([
      { field: 'hours', message: 'must be at most 168' },
    ]);
    expect(await errorsOf('remark', { text: 'x' }, { 'idempotency-key': 'a b' })).toEqual([
      { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
    await onboarding.handle.terminate();
  });

  it('may repeat a request with its key, and not another one', async () => {
    const crm = await api({ scopes: ['start', 'claim', 'answer'] });
    const { onboarding, question } = await twoNotes(crm);
    const key = { 'idempotency-key': 'k-1' };
    const path = `POST ${question}/${SHARE}/answer`;
    const first = await crm.send(path, withText('One in ten.'), key);
    const again = await crm.send(path, withText('One in ten.'), key);
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(problemOf(await crm.send(path, withText('One in nine.'), key))).toMatchObject({
      status: 422,
      errors: [{ field: 'Idempotency-Key', message: 'was used with another request' }],
    });
    for (let count = 0; count < 2; count++)
      await crm.send(`POST ${question}/${CHECK}/remark`, { text: 'Called.' }, { 'idempotency-key': 'k-2' });
    const { timeline } = await onboarding.state();
    expect(timeline.filter(({ event }) => event === 'remark-added')).toHaveLength(1);
    await onboarding.handle.terminate();
  });

  it('needs the scope approve for what cannot be undone, as a person needs the role', async () => {
    const crm = await api({ scopes: ['start', 'answer', 'read'] });
    const { onboarding, question } = await twoNotes(crm);
    const abandon = { answer: { kind: 'abandon' }, reason: 'asked' };
    for (const [action, id] of [
      ['answer', SHARE],
      ['propose', SHARE],
      ['answer', 'nobody'],
    ] as const)
      expect(problemOf(await crm.send(`POST ${question}/${id}/${action}`, abandon))).toMatchObject({
        status: 403,
        detail: 'this needs the scope approve',
      });
    expect((await onboarding.state()).requirements).toHaveLength(2);
    await onboarding.handle.terminate();
  });

  it('reads private values with the scope, and the audit log has it', async () => {
    const crm = await api();
    const { onboarding, workflowId } = await twoNotes(crm, {
      application: { merchantProfile: { taxId: '123456789' } },
    });
    const read = async ({ get }: Api, form: string) => get(`/onboardings/${workflowId}?input=${form}`);
    expect((await read(crm, 'masked')).text).not.toContain('123456789');
    expect(crm.log()).not.toContain('read private values');
    expect((await read(crm, 'private')).text).toContain('123456789');
    expect(crm.log()).toContain(
      `"audit":true,"client":"crm","what":"read private values","workflowId":"${workflowId}"`,
    );
    const other = await api({ scopes: ['read'] });
    expect((await read(other, 'private')).status).toBe(403);
    const path = `/requirements/${workflowId}/${SHARE}?input`;
    expect([(await other.get(`${path}=private`)).status, (await other.get(`${path}=masked`)).status]).toEqual(
      [403, 200],
    );
    expect((await read(other, 'masked')).status).toBe(200);
    await onboarding.handle.terminate();
  });

  it('cancels and nudges', async () => {
    const crm = await api();
    const { onboarding, workflowId } = await twoNotes(crm);
    const nudged = await crm.send(`POST /onboardings/${workflowId}/nudge`, undefined);
    expect(statusAnd(nudged)).toEqual([200, { workflowId, nudged: true, retried: [] }]);
    expect(statusAnd(await crm.send(`POST /onboardings/${workflowId}/cancel`, { reason: 'closed' }))).toEqual(
      [202, { workflowId, cancelRequested: true }],
    );
    await expect(onboarding.outcome()).rejects.toThrow();
    expect((await crm.send(`POST /onboardings/${workflowId}/cancel`, { reason: 'closed' })).status).toBe(409);
  });

  // Alone catches that a client cancels what holds the decisions of an account.
  it('cancels nothing but onboardings', async () => {
    const crm = await api();
    const record = await rig.client.workflow.start('partnerRecord', {
      workflowId: 'partner-record-boarding@elsewhere',
      taskQueue: rig.taskQueue,
      args: [{ system: 'boarding' }],
    });
    expect(
      (await crm.send(`POST /onboardings/${record.workflowId}/cancel`, { reason: 'closed' })).status,
    ).toBe(404);
    await record.terminate();
  });
});

describe('a list', () => {
  it('has every onboarding once, page by page, newest first', async () => {
    const crm = await api();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await twoNotes(crm)).workflowId);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = (await crm.get(`/onboardings?limit=2${cursor}`)).json<{
        onboardings: { workflowId: string }[];
        next?: string;
      }>();
      expect(page.onboardings.length).toBeLessThanOrEqual(2);
      seen.push(...page.onboardings.map(({ workflowId }) => workflowId));
      if (page.next === undefined) break;
      cursor = `&cursor=${page.next}`;
    }
    expect(seen.slice(0, 5)).toEqual(ids.toReversed());
    expect(new Set(seen).size).toBe(seen.length);
  });

  // The last one started is due first, so neither the server's order nor its pages are those of the due date.
  it('has every requirement once, in windows of the due date, the first due first', async () => {
    const crm = await api();
    const ids: string[] = [];
    for (const dueInHours of [50, 40, 30, 20, 10])
      ids.unshift((await twoNotes(crm, { dueInHours })).workflowId);
    const seen: string[] = [];
    let pages = 0;
    for (let cursor = ''; ; pages += 1) {
      const page = (await crm.get(`/requirements?limit=2${cursor}`)).json<{
        requirements: { workflowId: string }[];
        next?: string;
      }>();
      expect(page.requirements.length).toBeLessThanOrEqual(4);
      seen.push(...page.requirements.map(({ workflowId }) => workflowId));
      if (page.next === undefined) break;
      cursor = `&cursor=${page.next}`;
    }
    expect(seen).toEqual(ids.flatMap((id) => [id, id]));
    expect(pages).toBeLessThanOrEqual(5);
    await crm.send(`POST /requirements/${ids[0]}/${SHARE}/claim`, { person: 'Ada Park' });
    const result = async (query: string) =>
      (await crm.get(`/requirements?${query}`)).json<{ requirements: { id: string }[] }>().requirements
        .length;
    expect([
      await result('overdue=true'),
      await result('kind=ticket'),
      await result('partner=banking'),
    ]).toEqual([0, 0, 0]);
    expect([await result('claimed=true'), await result('claimed=false')]).toEqual([1, 9]);
    expect([await result('claimedBy=Ada%20Park'), await result('claimedBy=Bo')]).toEqual([1, 0]);
    expect([await result('kind=underwriting-note'), await result('account=acme')]).toEqual([10, 0]);
  });

  // Catches a cursor that reaches Temporal, which would look unavailable.
  it.each(['xyz', 'e30x', 'MS41.2dd4dfd8', 'x'.repeat(4_001)])(
    'refuses the cursor %#, which no page had',
    async (cursor) => {
      const crm = await api();
      const { onboarding, workflowId } = await twoNotes(crm);
      for (const path of ['/onboardings', '/requirements', `/onboardings/${workflowId}/timeline`])
        expect((await crm.get(`${path}?cursor=${cursor}`)).status).toBe(422);
      await onboarding.handle.terminate();
    },
  );
});

const limit = 25 * 1024 * 1024;

// Catches the limit of other bodies, which is a twenty-fifth of it.
it('a document may have 25 MiB', async () => {
  const { store } = await api();
  expect((await store(new File(['x'.repeat(limit)], 'a.txt'))).status).toBe(201);
});

describe('a document is refused', () => {
  it.each<[string, File, string, number, string]>([
    [
      'that is too large',
      new File(['x'.repeat(limit + 1)], 'a.txt'),
      'file',
      413,
      'a document has at most 25 MiB',
    ],
    ['of another type', new File(['MZ'], 'a.exe'), 'file', 422, 'only files of these types are accepted'],
    ['whose content is another one', new File(['%PDF-1.7'], 'a.png'), 'file', 422, 'does not match its name'],
    ['in another field', VOIDED, 'document', 422, 'is required'],
  ])('%s', async (_, file, name, status, message) => {
    const { store } = await api();
    const reply = await store(file, name);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
  });

  it('that is no form', async () => {
    const { send } = await api();
    expect((await send('POST /documents', { file: 'void' })).status).toBe(415);
  });
});

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly example?: string }[];
  readonly requestBody?: {
    readonly content: Record<
      string,
      { readonly schema: { readonly $ref?: string; anyOf?: { $ref: string }[] } }
    >;
  };
}

// Catches an example of the OpenAPI document that its own API would refuse.
it('the examples of the OpenAPI document work, one after the other', async () => {
  const crm = await api();
  const document = (await crm.call('GET /openapi.json')).json<{
    paths: Record<string, Record<string, Documented>>;
    components: { schemas: Record<string, { examples?: object[] }> };
  }>();
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [operation.operationId, { path, method, ...operation }] as const,
      ),
    ),
  );
  const run = async (operationId: string, more: object = {}) => {
    const { path = '', method = '', parameters = [], requestBody } = operations.get(operationId) ?? {};
    const filled = parameters.reduce(
      (all, { name, example = '' }) => all.replace(`{${name}}`, example),
      path,
    );
    const schema = requestBody?.content['application/json']?.schema;
    const name = (schema?.$ref ?? schema?.anyOf?.[0]?.$ref)?.split('/').at(-1) ?? '';
    const body = requestBody && { ...document.components.schemas[name]?.examples?.[0], ...more };
    const { status, text } = await crm.send(`${method.toUpperCase()} ${filled.replace('/v1', '')}`, body);
    return [status, JSON.parse(text)] as const;
  };
  const statusOf = async (operationId: string) => (await run(operationId))[0];
  expect(await statusOf('start-onboarding')).toBe(202);
  const onboarding = new Onboarding(rig.client, 'merchant-boarding-m-1001');
  await onboarding.until(({ requirements }) => requirements.length === 2, 'two notes');
  const statuses: Record<string, number> = {};
  for (const operation of ['list-onboardings', 'get-onboarding', 'get-timeline', 'list-requirements'])
    statuses[operation] = await statusOf(operation);
  for (const action of ['get', 'claim', 'release', 'remark', 'propose', 'withdraw'])
    statuses[action] = await statusOf(`${action}-requirement`);
  statuses['nudge-onboarding'] = await statusOf('nudge-onboarding');
  const [, { proposedAt }] = await run('propose-requirement');
  [statuses['confirm']] = await run('confirm-requirement', { proposedAt });
  expect(statuses).toEqual({
    'list-onboardings': 200,
    'get-onboarding': 200,
    'get-timeline': 200,
    'nudge-onboarding': 200,
    'list-requirements': 200,
    get: 200,
    claim: 200,
    release: 200,
    remark: 200,
    propose: 200,
    withdraw: 200,
    confirm: 200,
  });
  expect([await statusOf('take-back-requirement'), await statusOf('answer-requirement')]).toEqual([200, 200]);
  expect(await statusOf('get-report')).toBe(200);
  expect(await statusOf('cancel-onboarding')).toBe(202);
});
