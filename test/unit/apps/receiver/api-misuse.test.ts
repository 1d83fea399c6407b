import { expect, it } from 'vitest';
import { receiverOf } from '../../../../src/apps/receiver/server.js';
import { clientsFile, clientWith, receiverOptions, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { answering, known, payloads, valuesOf } from '../../../rigs/temporal/answering-service.js';

const ASKED = '/v1/requirements/merchant-boarding-m-1/uncertain-write-1';

/** A requirement that was answered: the list of open ones does not have it. */
const ANSWERED = {
  ...{ dba: 'Acme', stage: 'boarding', requirements: [], unsent: ['uncertain-write-1'] },
  timeline: [
    { at: '2026-01-31T10:00:00Z', event: 'requirement-resolved', detail: 'uncertain-write-1: retry' },
  ],
};

/** @param receipt of a request that was accepted before */
async function receiver({ receipt = null as object | null, scopes = ['read', 'answer', 'claim'] } = {}) {
  const { client, sent } = answering({
    ...known({ workflowId: 'merchant-boarding-m-1' }),
    queryWorkflow: ({ query: { queryType } }) => ({
      queryResult: { payloads: payloads(queryType === 'receipt' ? receipt : ANSWERED) },
    }),
    updateWorkflowExecution: () => ({
      stage: 'UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED',
      outcome: { success: { payloads: payloads({ requirementId: 'uncertain-write-1' }) } },
    }),
  });
  const options = { client, taskQueue: 'gangway', clientsFile: clientsFile([clientWith({ scopes })]) };
  const server = await receiverOf(receiverOptions(options));
  const call = (line: string, body?: object | string, headers: Record<string, string> = {}) => {
    const [method, url = ''] = line.split(' ');
    const all = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers };
    return server.inject({ method: method as 'GET', url, headers: all, ...(body && { payload: body }) });
  };
  const updates = () => sent.filter(([name]) => name === 'updateWorkflowExecution').map(([, its]) => its);
  return { call, updates };
}

const adopt = { answer: { kind: 'adopt', id: '1012' }, reason: 'found it' };

// Catches an answer that is sent because it may repeat an earlier one: a take-back at the same time opens its requirement, and the
// answer decides a write in doubt without the scope approve.
it.each(['answer', 'propose'])(
  'POST .../%s about what is not open sends nothing without approve',
  async (action) => {
    const { call, updates } = await receiver();
    for (const headers of [{}, { 'idempotency-key': 'k-1' }]) {
      const reply = await call(`POST ${ASKED}/${action}`, adopt, headers);
      expect([reply.statusCode, reply.json().type]).toEqual([409, 'urn:gangway:problem:not-open']);
    }
    expect(updates()).toEqual([]);
  },
);

// Catches a client without approve whose repeated answer is refused.
it('an answer that was accepted before has its receipt, without approve', async () => {
  const receipt = { requirementId: 'uncertain-write-1', acceptedAt: '2026-01-31T10:00:00.000Z', open: 0 };
  const { call, updates } = await receiver({ receipt });
  const reply = await call(`POST ${ASKED}/answer`, adopt, { 'idempotency-key': 'k-1' });
  expect([reply.statusCode, reply.json()]).toEqual([200, receipt]);
  expect(updates()).toEqual([]);
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
