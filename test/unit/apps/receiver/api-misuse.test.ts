import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { receiverOf } from '../../../../src/apps/receiver/server.js';
import { createLogger } from '../../../../src/platform/process/logging.js';
import { followPeople } from '../../../../src/services/inbox/people.js';
import { peopleFile as fileOfPeople } from '../../../rigs/people-file.js';
import { clientsFile, clientWith, receiverOptions, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { answering, grpcError, known, payloads, valuesOf } from '../../../rigs/temporal/answering-service.js';

const ASKED = '/v1/requirements/merchant-boarding-m-1/uncertain-write-1';

/** A requirement that was answered: the list of open ones does not have it. */
const ANSWERED = {
  dba: 'Acme',
  stage: 'boarding',
  requirements: [],
  unsent: ['uncertain-write-1'],
  timeline: [
    { at: '2026-01-31T10:00:00Z', event: 'requirement-resolved', detail: 'uncertain-write-1: retry' },
  ],
};

const RECEIPT = { requirementId: 'uncertain-write-1', acceptedAt: '2026-01-31T10:00:00.000Z', open: 0 };

/** Of a document that is stored. */
const KEY = '0c8bfa0e-0000-4000-8000-000000000000.txt';

/** @param receipt of a request that was accepted before */
async function receiver({
  receipt = null as object | null,
  scopes = ['read', 'answer', 'claim'],
  file = clientsFile([clientWith({ scopes })]),
  isApplied = true as boolean | Promise<never>,
  peopleFile = undefined as string | undefined,
} = {}) {
  const { client, sent } = answering({
    ...known({ workflowId: 'merchant-boarding-m-1' }),
    queryWorkflow: ({ query: { queryType } }) => ({
      queryResult: { payloads: payloads(queryType === 'receipt' ? receipt : ANSWERED) },
    }),
    updateWorkflowExecution: async () => {
      if (!(await isApplied)) throw grpcError('DEADLINE_EXCEEDED');
      return {
        updateRef: {
          workflowExecution: { workflowId: 'merchant-boarding-m-1', runId: 'run-1' },
          updateId: 'u-1',
        },
        outcome: { success: { payloads: payloads(RECEIPT) } },
        stage: 3,
      };
    },
  });
  const audited: string[] = [];
  const write = (line: string) => {
    const { audit, what, requirementId, person } = JSON.parse(line);
    if (audit) audited.push(`${what} ${requirementId} ${person}`);
  };
  const documentDir = mkdtempSync(join(tmpdir(), 'gangway-documents-'));
  writeFileSync(join(documentDir, KEY), 'stored');
  const logger = createLogger('info', { write });
  const options = {
    client,
    taskQueue: 'gangway',
    clientsFile: file,
    people: followPeople(peopleFile, []),
    documentDir,
    requestsPerMinute: 3,
    logger,
  };
  const server = await receiverOf(receiverOptions(options));
  const call = (line: string, body?: object | Readable, headers: Record<string, string> = {}) => {
    const [method, url = ''] = line.split(' ');
    const all = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers };
    return server.inject({ method: method as 'GET', url, headers: all, ...(body && { payload: body }) });
  };
  const updates = () => sent.filter(([name]) => name === 'updateWorkflowExecution').map(([, its]) => its);
  return { call, updates, documentDir, audited };
}

const confirm = { answer: { kind: 'confirm', id: '1012' }, reason: 'found it' };

// Catches an answer that is sent because it may repeat an earlier one: a take-back at the same time opens its requirement, and the
// answer decides a write in doubt without the scope approve.
it.each(['answer', 'propose'])(
  'POST .../%s about what is not open sends nothing without approve',
  async (action) => {
    const { call, updates } = await receiver();
    for (const headers of [{}, { 'idempotency-key': 'k-1' }]) {
      const reply = await call(`POST ${ASKED}/${action}`, confirm, headers);
      expect([reply.statusCode, reply.json().type]).toEqual([409, 'urn:gangway:problem:not-open']);
    }
    expect(updates()).toEqual([]);
  },
);

// Catches a client without approve whose repeated answer is refused.
it('an answer that was accepted before has its receipt, without approve', async () => {
  const { call, updates } = await receiver({ receipt: RECEIPT });
  const reply = await call(`POST ${ASKED}/answer`, confirm, { 'idempotency-key': 'k-1' });
  expect([reply.statusCode, reply.json()]).toEqual([200, RECEIPT]);
  expect(updates()).toEqual([]);
});

// Alone catches an action that takes effect after the revocation of its client, which sends a body for up to five minutes.
it.each([
  ['revoked', [], 401],
  ['without the scope', [clientWith({ scopes: ['read'] })], 403],
])('a client that is %s before its body has arrived sends nothing', async (_, clients, status) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = clientsFile([clientWith({ scopes: ['claim'] })]);
  const { call, updates } = await receiver({ file });
  const body = Readable.from(
    (async function* () {
      yield '{"hours"';
      writeFileSync(file, clients.map((client) => JSON.stringify(client)).join(''));
      vi.advanceTimersByTime(600);
      yield ': 2}';
    })(),
  );
  expect((await call(`POST ${ASKED}/claim`, body)).statusCode).toBe(status);
  expect(updates()).toEqual([]);
});

// Alone catches an assignment to a person whom nobody knows, or to one who may not answer.
it.each([
  ['Adda', 'no colleague is called "Adda"; did you mean Ada?'],
  ['Vera', 'Vera may not answer requirements of this account'],
])('an assignment to %s is refused before it is sent', async (assignee, message) => {
  const people = [
    { name: 'Ada Park', id: 'ada-17', role: 'operator' },
    { name: 'Vera', id: 'v-1', role: 'viewer' },
  ];
  const { call, updates } = await receiver({ peopleFile: fileOfPeople(people).GANGWAY_PEOPLE_FILE });
  const reply = await call(`POST ${ASKED}/assign`, { assignee, person: 'Bo' });
  expect([reply.statusCode, reply.json().errors]).toEqual([422, [{ field: 'assignee', message }]]);
  expect(updates()).toEqual([]);
  const sent = await call(`POST ${ASKED}/assign`, {
    assignee: 'ada',
    text: 'Call them, @ada-17.',
    person: 'Bo',
  });
  expect([sent.statusCode, updates().length]).toEqual([200, 1]);
});

// Alone catches a repetition that is refused, although it was accepted before the file lost the colleague.
it.each([
  ['assign', { assignee: 'Ada' }],
  ['remark', { text: 'Call them, @ada.' }],
])(
  'POST .../%s that was accepted before has its receipt, whatever the file has now',
  async (action, body) => {
    const file = fileOfPeople([{ name: 'Bo', id: 'bo-2', role: 'operator' }]).GANGWAY_PEOPLE_FILE;
    const { call, updates } = await receiver({ receipt: RECEIPT, peopleFile: file });
    const reply = await call(`POST ${ASKED}/${action}`, body, { 'idempotency-key': 'k-1' });
    expect([reply.statusCode, reply.json().requirementId, updates()]).toEqual([
      200,
      RECEIPT.requirementId,
      [],
    ]);
    expect((await call(`POST ${ASKED}/${action}`, body)).statusCode).toBe(422);
  },
);

// Alone catches an action that a worker applies after the response, and that the audit log never has.
it('the audit log has an action whose effect is not known', async () => {
  const { call, audited } = await receiver({ isApplied: false });
  const reply = await call(`POST ${ASKED}/claim`, { person: 'Bo' });
  expect([reply.statusCode, reply.json().type]).toEqual([503, 'urn:gangway:problem:not-applied']);
  expect(audited).toEqual(['claim uncertain-write-1 Bo']);
});

// Alone catches a caller that waits for half a minute for a worker that is down, and one that is told that an answer is accepted.
it.each([
  [{ 'idempotency-key': 'k-1' }, 'repeat it with the same Idempotency-Key'],
  [{}, 'read the requirement before you repeat it'],
])('an action whose worker is down ends after ten seconds, and with %j says: %s', async (headers, advice) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { call, updates, audited } = await receiver({ isApplied: new Promise(() => {}) });
  let isOver = false;
  const replied = call(`POST ${ASKED}/claim`, { person: 'Bo' }, headers).finally(() => {
    isOver = true;
  });
  while (updates().length === 0) await setImmediate();
  await vi.advanceTimersByTimeAsync(9_900);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  const reply = await replied;
  expect([reply.statusCode, reply.headers['retry-after'], reply.json()]).toEqual([
    503,
    '5',
    expect.objectContaining({
      type: 'urn:gangway:problem:not-applied',
      title: 'It is not known whether the request took effect',
      detail: expect.stringContaining(advice),
    }),
  ]);
  expect(audited).toEqual(['claim uncertain-write-1 Bo']);
});

// Catches a release that counts as the repetition of a claim with the same key and body, and is never sent.
it('a key at a second route is another request', async () => {
  const { call, updates } = await receiver();
  for (const action of ['claim', 'release', 'release'])
    await call(`POST ${ASKED}/${action}`, {}, { 'idempotency-key': 'k-1' });
  const [claim, release, again] = updates().map(({ request: { input } }) => valuesOf(input.args)[1]) as {
    id: string;
    body: string;
  }[];
  expect(release?.id).toBe(claim?.id);
  expect(release?.body).not.toBe(claim?.body);
  expect(again).toEqual(release);
});

// Catches answers that fill the state and the history of a workflow until Temporal terminates it.
it('an action takes 64 KiB', async () => {
  const { call, updates } = await receiver({ scopes: ['answer', 'approve'] });
  const answerOf = (length: number) => ({
    answer: { kind: 'text', text: 'a'.repeat(length) },
    reason: 'asked',
  });
  expect((await call(`POST ${ASKED}/answer`, answerOf(65_000))).statusCode).toBe(200);
  const large = await call(`POST ${ASKED}/propose`, answerOf(65_536));
  expect([large.statusCode, large.json().type]).toEqual([413, 'urn:gangway:problem:too-large']);
  expect(updates()).toHaveLength(1);
});

// Catches a text that was checked as a text, and that the partner gets as a page of HTML.
it.each([
  [{ key: KEY, fileName: 'check.html', contentType: 'text/html' }],
  [{ key: KEY, fileName: 'check.pdf', contentType: 'application/pdf' }],
  [{ key: KEY, fileName: 'check.txt', contentType: 'text/html' }],
  [{ key: KEY, fileName: '../check.txt', contentType: 'text/plain' }],
  [{ key: KEY, fileName: 'check\r\n.txt', contentType: 'text/plain' }],
  [{ key: KEY, fileName: '...txt', contentType: 'text/plain' }],
])('the reference %j, which no store returned, is refused', async (document) => {
  const { call, updates } = await receiver({ scopes: ['answer', 'approve'] });
  const body = (documents: object[]) => ({ answer: { kind: 'documents', documents }, reason: 'asked' });
  const reply = await call(`POST ${ASKED}/answer`, body([document]));
  const message = 'must be the reference that the document store returned';
  expect([reply.statusCode, reply.json().errors]).toEqual([422, [{ field: 'answer.documents.0', message }]]);
  expect(updates()).toEqual([]);
  const stored = { key: KEY, fileName: 'check.txt', contentType: 'text/plain' };
  expect((await call(`POST ${ASKED}/answer`, body([stored]))).statusCode).toBe(200);
  expect((await call(`POST ${ASKED}/answer`, body(Array(11).fill(stored)))).statusCode).toBe(422);
});

// Catches a text that Temporal cannot search for, and a year that it cannot read, as an internal error.
it.each([
  ['onboardings?startedSince=yesterday', 'startedSince', 'must be a time such as 2026-01-31T12:00:00Z'],
  ['onboardings?mid=%0a', 'mid'],
  ['onboardings?externalId=%00', 'externalId'],
  ['onboardings?account=%00', 'account'],
  ['onboardings?startedSince=9999-12-31T23:59:59-23:00', 'startedSince'],
  ['onboardings?endedBefore=0000-01-01T00:00:00%2B23:00', 'endedBefore'],
  ['requirements?onboarding=customer-onboarding-x%0a', 'onboarding'],
  ['requirements?account=%01', 'account'],
  ['report?account=%00', 'account'],
])('GET /v1/%s names the wrong field %s', async (path, field, message = expect.any(String)) => {
  const { call } = await receiver();
  const reply = await call(`GET /v1/${path}`);
  expect([reply.statusCode, reply.json().errors]).toEqual([422, [{ field, message }]]);
});

const FORM = { 'content-type': 'multipart/form-data; boundary=B' };
const partOf = (disposition: string, type = 'text/plain') =>
  `--B\r\ncontent-disposition: form-data; ${disposition}\r\ncontent-type: ${type}\r\n\r\n`;

// Catches an upload without a length whose bytes are read to the end, before the first part or behind the limit of a document.
it.each([
  ['of a document', partOf('name="file"; filename="a.txt"')],
  ['before its first part', 'x'],
])('a form ends with the 26th MiB %s', async (_, beginning) => {
  const { call, documentDir } = await receiver({ scopes: ['documents'] });
  let mebibytes = 0;
  const body = Readable.from(
    (async function* () {
      yield beginning;
      for (; mebibytes < 100; mebibytes++) yield await setImmediate('a'.repeat(1024 * 1024));
    })(),
  );
  const reply = await call('POST /v1/documents', body, FORM);
  expect([reply.statusCode, reply.json().detail]).toEqual([413, 'a document has at most 25 MiB']);
  expect(mebibytes).toBeLessThan(30);
  expect(readdirSync(documentDir)).toEqual([KEY]);
});

const A_FILE = `${partOf('name="file"; filename="a.txt"')}a\r\n`;
const A_FIELD = `${partOf('name="note"')}x\r\n`;
const ONLY = 'is required, as the only part of the form';

// Catches a part without a name, which the library counts as a file, as an internal error; a second file that is dropped without a
// word, and the first one that stays; and a form without a file that is too large.
it.each([
  ['no part', '', ONLY],
  [
    'a file without a name',
    `${partOf('name="file"', 'application/octet-stream')}x\r\n`,
    'must have a file name',
  ],
  ['a field only', A_FIELD, ONLY],
  ['a file of another name', `${partOf('name="other"; filename="a.txt"')}a\r\n`, ONLY],
  ['two files', A_FILE + A_FILE, ONLY],
  ['a file and a field', A_FILE + A_FIELD, ONLY],
  ['many parts', A_FILE + A_FIELD.repeat(9), ONLY],
])('a form with %s stores nothing', async (_, parts, message) => {
  const { call, documentDir } = await receiver({ scopes: ['documents'] });
  const reply = await call('POST /v1/documents', Readable.from([`${parts}--B--\r\n`]), FORM);
  expect([reply.statusCode, reply.json().errors]).toEqual([422, [{ field: 'file', message }]]);
  expect(readdirSync(documentDir)).toEqual([KEY]);
});

// Alone catches a document store that fails as an internal error, which a client does not repeat.
it('while the document store fails, a document is to be sent again', async () => {
  const { call, documentDir } = await receiver({ scopes: ['documents', 'answer', 'approve'] });
  rmSync(documentDir, { recursive: true });
  writeFileSync(documentDir, 'in the way');
  const document = { key: KEY, fileName: 'check.txt', contentType: 'text/plain' };
  const answer = { answer: { kind: 'documents', documents: [document] }, reason: 'asked' };
  for (const reply of [
    await call('POST /v1/documents', Readable.from([`${A_FILE}--B--\r\n`]), FORM),
    await call(`POST ${ASKED}/answer`, answer),
  ])
    expect([reply.statusCode, reply.headers['retry-after'], reply.json().type]).toEqual([
      503,
      '5',
      'urn:gangway:problem:documents-unavailable',
    ]);
});

// Catches an issuer that is down as an internal error, and requests that no limit counts because their token cannot be checked.
it('a token that cannot be checked now gets 503, and counts', async () => {
  const jwt = { jwksUrl: 'http://127.0.0.1:9', issuer: 'iss', audience: 'aud', subject: 'crm' };
  const { call } = await receiver({ file: clientsFile([{ name: 'crm', jwt, scopes: ['read'] }]) });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const authorization = `Bearer ${part({ alg: 'RS256' })}.${part({ iss: 'iss', sub: 'crm' })}.AAAA`;
  const types = [];
  for (let times = 0; times < 4; times++)
    types.push((await call('GET /v1/onboardings', undefined, { authorization })).json().type);
  const unavailable = 'urn:gangway:problem:issuer-unavailable';
  expect(types).toEqual([...Array(3).fill(unavailable), 'urn:gangway:problem:too-many-requests']);
});

// Catches a mistake in the list of clients that also stops webhooks and health checks which have a bearer token.
it('only the API needs the list of clients', async () => {
  const file = clientsFile([]);
  writeFileSync(file, '{');
  const { call } = await receiver({ file });
  const statuses = [];
  for (const path of ['/v1/onboardings', '/healthz', '/webhooks/boarding', '/openapi.json'])
    statuses.push((await call(`GET ${path}`)).statusCode);
  expect(statuses).toEqual([503, 200, 200, 200]);
});

// Alone catches a client that has to guess the kinds of answers.
it('an answer of an unknown kind learns the kinds', async () => {
  const { call } = await receiver();
  const reply = await call(`POST ${ASKED}/answer`, { answer: { kind: 'yes' }, reason: 'asked' });
  const message = 'must be one of text, documents, correction, confirm, retry, code, choice, abandon';
  expect([reply.statusCode, reply.json().errors]).toEqual([422, [{ field: 'answer.kind', message }]]);
});

// Alone catches a response to a path that is too long, which the OpenAPI document does not have.
it('a path that is too long gets a response of the OpenAPI document', async () => {
  const { call } = await receiver();
  const { paths } = (await call('GET /openapi.json')).json();
  const undocumented = [];
  for (const [path, item] of Object.entries<Record<string, { responses: object }>>(paths))
    for (const [method, { responses }] of Object.entries(item)) {
      if (!path.includes('{')) continue;
      const { statusCode } = await call(
        `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, 'a'.repeat(400))}`,
      );
      if (!(statusCode in responses)) undocumented.push([method, path, statusCode]);
    }
  expect(undocumented).toEqual([]);
});
