import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { documentStore } from '../../../../src/partners/documents/document-store.js';
import { folder } from '../../../../src/platform/documents/file-store.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { event, problemOf, runReceiver, STRUCTURED } from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig({ accounts: ['acme'] });
afterEach(() => rig.clear());

const inStructured = { 'content-type': STRUCTURED };
const who = { actor: 'olga', reason: 'the merchant said so' };

async function twoNotes(
  input = merchant('notes'),
): Promise<{ boarding: Onboarding; notes: string[]; externalId: string }> {
  const boarding = await rig.board(input);
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  return { boarding, notes: requirements.map(({ id }) => id), externalId: input.externalId };
}

describe('requirement.resolved.v1 and documents.received.v1', () => {
  it('answer in the named account when an externalId has onboardings in several accounts', async () => {
    const { post } = await runReceiver(rig, { accounts: { acme: { posNames: [] } } });
    const input = merchant('notes');
    const { boarding: nameless, notes: others, externalId } = await twoNotes(input);
    const { boarding: acmes, notes } = await twoNotes({ ...input, account: 'acme' });
    const answer = { kind: 'text', text: 'One sale in ten.' };
    const send = (id: string, requirementId = notes[0]) =>
      post(
        JSON.stringify(event('requirement.resolved.v1', { id, requirementId, answer, ...who }, { id })),
        inStructured,
      );
    expect(problemOf(await send(externalId))).toMatchObject({
      type: 'urn:gangway:problem:ambiguous-id',
      status: 409,
    });
    expect(JSON.parse((await send(`${externalId}@acme`)).text)).toEqual({ workflowId: acmes.workflowId });
    expect((await acmes.state()).requirements).toHaveLength(1);
    expect((await nameless.state()).requirements).toHaveLength(2);
    expect((await send(nameless.workflowId, others[0])).status).toBe(202);
    expect((await nameless.state()).requirements).toHaveLength(1);
    expect((await acmes.state()).requirements).toHaveLength(1);
    await Promise.all([nameless, acmes].map(({ handle }) => handle.terminate()));
  });

  it('answer requirements, by externalId or workflow id, and may be repeated', async () => {
    const { post } = await runReceiver(rig);
    const { boarding, notes, externalId } = await twoNotes();
    const [first = '', second = ''] = notes;
    const answer = { kind: 'text', text: 'One sale in ten.' };
    const text = JSON.stringify(
      event('requirement.resolved.v1', { id: externalId, requirementId: first, answer, ...who }),
    );
    const { workflowId } = boarding;
    for (const { status, text: body } of [await post(text, inStructured), await post(text, inStructured)]) {
      expect([status, JSON.parse(body)]).toEqual([202, { workflowId }]);
    }
    expect((await boarding.state()).requirements.map(({ id }) => id)).toEqual([second]);

    const documents = [await documentStore(folder(rig.documentDir)).put('check.txt', Buffer.from('void'))];
    const data = { id: workflowId, requirementId: second, documents, ...who };
    const received = JSON.stringify(event('documents.received.v1', data, { id: 'e-2' }));
    expect(await post(received, inStructured)).toMatchObject({ status: 202 });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const writes = await rig.sandbox.writes(externalId);
    expect(writes.filter((write) => write === 'request-underwriting-review')).toHaveLength(1);
    const { timeline } = await boarding.state();
    const answers = timeline.filter(({ actor }) => actor === 'olga');
    expect(answers.map(({ reason }) => reason)).toEqual([who.reason, who.reason]);

    // Long after the end, a repeated event is still the same answer.
    for (const body of [text, received]) {
      const { status, text: again } = await post(body, inStructured);
      expect([status, JSON.parse(again)]).toEqual([202, { workflowId }]);
    }
  });

  it('are rejected when no such requirement is open', async () => {
    const { post } = await runReceiver(rig);
    const { boarding, notes, externalId } = await twoNotes();
    const [first] = notes;
    const send = (data: object, id: string) =>
      post(
        JSON.stringify(event('requirement.resolved.v1', { id: externalId, ...who, ...data }, { id })),
        inStructured,
      );
    const notOpen = (detail: string) => {
      const title = 'The requirement is not open';
      return { type: 'urn:gangway:problem:not-open', title, status: 409, detail };
    };
    const retry = { kind: 'retry' };
    expect(problemOf(await send({ requirementId: 'ada@example.com', answer: retry }, 'e-1'))).toEqual(
      notOpen('no requirement with this ID is open'),
    );
    expect(problemOf(await send({ requirementId: first, answer: retry }, 'e-2'))).toEqual({
      type: 'urn:gangway:problem:invalid',
      title: 'Fields are missing or wrong',
      status: 422,
      detail: 'the requirement does not accept this answer',
      errors: [{ field: 'data.answer.kind', message: `${first} takes text, documents, abandon` }],
    });
    expect(await send({ requirementId: first, answer: { kind: 'abandon' } }, 'e-3')).toMatchObject({
      status: 202,
    });
    await boarding.outcome();
    expect(problemOf(await send({ requirementId: first, answer: retry }, 'e-4'))).toEqual(
      notOpen('the onboarding has ended'),
    );
  });

  it('are rejected when they name an onboarding by its dba, which another may have', async () => {
    const { post } = await runReceiver(rig);
    const input = merchant('notes');
    const dba = `${randomUUID()} [notes]`;
    const { boarding, notes } = await twoNotes({ ...input, merchant: { ...input.merchant, dba } });
    const data = { id: dba, requirementId: notes[0], answer: { kind: 'text', text: 'No.' }, ...who };
    const reply = await post(JSON.stringify(event('requirement.resolved.v1', data)), inStructured);
    expect(problemOf(reply)).toMatchObject({ status: 404, type: 'urn:gangway:problem:unknown-onboarding' });
    expect((await boarding.state()).requirements).toHaveLength(2);
    await boarding.handle.terminate();
  });

  it('are rejected when a requirement accepts no documents', async () => {
    const { post } = await runReceiver(rig);
    const boarding = await rig.board(merchant('changes-requested'));
    const { id: requirementId } = await boarding.requirement('changes-requested');
    const documents = [{ key: 'k.txt', fileName: 'check.txt', contentType: 'text/plain' }];
    const data = { id: boarding.workflowId, requirementId, documents, ...who };
    const reply = await post(JSON.stringify(event('documents.received.v1', data)), inStructured);
    const message = `${requirementId} takes correction, retry, abandon`;
    expect(problemOf(reply)).toMatchObject({ status: 422, errors: [{ field: 'data.documents', message }] });
  });
});
