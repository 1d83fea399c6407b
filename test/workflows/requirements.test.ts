import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/messages/requirements.js';
import { stored } from '../rigs/commands/files.js';
import { merchant, namedApplication } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

describe.concurrent('underwriting notes', () => {
  it('each become a requirement with a stable id, and are handed in together once all are answered', async () => {
    const input = merchant('notes');
    const boarding = await rig.board(input);
    const { requirements, merchantProfileId = 0 } = await boarding.until(
      (state) => state.requirements.length === 2,
      'two notes',
    );
    const [check, share] = requirements;
    expect(check).toMatchObject({
      id: expect.stringMatching(/^note-[0-9a-f]{12}$/),
      kind: 'underwriting-note',
      title: 'Note from Underwriting: Please send a voided check for the deposit account.',
      detail: 'Please send a voided check for the deposit account.',
      answers: ['text', 'documents', 'abandon'],
    });
    expect(Date.parse(check?.dueAt ?? '') - Date.parse(check?.raisedAt ?? '')).toBe(48 * 3_600_000);

    const document = await stored(rig);
    await boarding.resolve(check?.id ?? '', { kind: 'documents', documents: [document] });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    await boarding.resolve(share?.id ?? '', { kind: 'text', text: 'One in ten.' });

    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect((await rig.sandbox.writes(input.externalId)).slice(2)).toEqual([
      'upload-attachment',
      'request-underwriting-review',
    ]);
    const { attachments, reviewComments } = await rig.sandbox.merchant(merchantProfileId);
    expect(attachments).toEqual([
      {
        fileName: 'check.pdf',
        contentType: 'application/pdf',
        bytes: 19,
        description: 'Please send a voided check for the deposit account.',
      },
    ]);
    expect(reviewComments).toEqual(['What share of sales is keyed in by hand?\nOne in ten.']);
  });

  it('close themselves when the partner goes on without an answer', async () => {
    const boarding = await rig.board(merchant('superseded-notes'));
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).toEqual(
      expect.arrayContaining(['requirement-raised', 'requirement-closed']),
    );
  });

  it('can end the boarding, which drops the answers to others', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [entry = '', last = ''] = requirements.map(({ id }) => id);
    await boarding.resolve(entry, { kind: 'text', text: 'Attached by mail.' });
    await boarding.resolve(last, { kind: 'abandon' }, 'olga', 'the merchant changed its mind');
    const outcome = await boarding.outcome();
    const { merchantProfileId, timeline } = await boarding.state();
    expect(timeline.find(({ event }) => event === 'answer-dropped')?.detail).toBe(
      `${entry}: the onboarding ended before it was delivered`,
    );
    expect(outcome).toEqual({
      outcome: 'abandoned',
      comment: 'the merchant changed its mind',
      merchantProfileId,
    });
  });

  it('ask again when a document is not in the store any more', async () => {
    const boarding = await rig.board(merchant('uw-level-1'));
    const { id } = await boarding.requirement('underwriting-note');
    const key = '00000000-0000-4000-8000-000000000000.pdf';
    const lost = { key, fileName: 'lost.pdf', contentType: 'application/pdf' };
    await boarding.resolve(id, { kind: 'documents', documents: [lost] });
    const rejected = await boarding.requirement('rejected-input');
    expect(rejected.detail).toBe('document: lost.pdf is not in the document store');
    await mkdir(rig.documentDir, { recursive: true });
    await writeFile(join(rig.documentDir, key), 'found again');
    await boarding.resolve(rejected.id, { kind: 'retry' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  });
});

describe.concurrent('RequestChanges, which a submission of changes answers,', () => {
  it('takes a correction, submits again with it, and goes on', async () => {
    const application = { salesAndBusinessProfile: { annualVolume: 90_000, averageTicket: 40 } };
    const input = merchant('changes-requested', { application });
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('changes-requested');
    expect(requirement.detail).toBe('The annual card volume does not match the statements.');
    const patch = { application: { salesAndBusinessProfile: { annualVolume: 120_000 } } };
    await boarding.resolve(requirement.id, { kind: 'correction', patch });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await rig.sandbox.writes(input.externalId)).toEqual([
      'create-merchant',
      'submit-merchant',
      'submit-merchant',
    ]);
    const { merchantProfileId = 0 } = await boarding.state();
    const merchantAtPartner = await rig.sandbox.merchant(merchantProfileId);
    expect(merchantAtPartner['application']).toEqual({
      salesAndBusinessProfile: { annualVolume: 120_000, averageTicket: 40 },
    });
  });

  it('changes the fees first when the correction holds some', async () => {
    const input = merchant('changes-requested');
    const boarding = await rig.board(input);
    const { id } = await boarding.requirement('changes-requested');
    await boarding.resolve(id, { kind: 'correction', patch: { fees: { minimumDiscountAmount: 30 } } });
    await boarding.outcome();
    expect((await rig.sandbox.writes(input.externalId)).slice(2)).toEqual(['update-fees', 'submit-merchant']);
  });
});

describe.concurrent('input that the partner rejects', () => {
  it('becomes a requirement with the fields, and a correction is tried again', async () => {
    const input = merchant(undefined, { agentProfileId: 999 });
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('rejected-input');
    expect(requirement.detail).toMatch(
      /^agentProfileId 999 not found\nThe partner may have saved what it refused\. /,
    );
    expect(requirement.answers).toEqual(['correction', 'confirm', 'retry', 'abandon']);
    await boarding.resolve(requirement.id, { kind: 'correction', patch: { agentProfileId: 102 } });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });

  it('has the fees of its correction set before the submission is sent again', async () => {
    const input = merchant();
    const { externalId } = input;
    await rig.sandbox.plan('400', 'submit-merchant', { about: externalId });
    const boarding = await rig.board({ ...input, application: namedApplication(externalId) });
    const { id } = await boarding.requirement('rejected-input');
    await boarding.resolve(id, { kind: 'correction', patch: { fees: { minimumDiscountAmount: 30 } } });
    await boarding.outcome();
    const writes = await rig.sandbox.writes(externalId);
    expect(writes).toEqual(['create-merchant', 'update-fees', 'submit-merchant']);
  });
});

describe.concurrent('a resolution that does not fit', () => {
  it('is rejected with the reason, and leaves no history', async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const id = requirements[0]?.id ?? '';
    const text: Answer = { kind: 'text', text: 'x' };
    const wrong: [string, Answer, string, string, string][] = [
      ['note-0', text, 'olga', 'why', 'requirementId: no requirement with this ID is open'],
      [id, { kind: 'confirm', id: '1' }, 'olga', 'why', `answer.kind: ${id} takes text, documents, abandon`],
      [id, text, 'olga', ' ', 'reason: must not be empty'],
    ];
    for (const [requirementId, answer, actor, reason, why] of wrong) {
      const error = await boarding
        .resolve(requirementId, answer, actor, reason)
        .catch((failed: unknown) => failed);
      expect(error, why).toBeInstanceOf(WorkflowUpdateFailedError);
      expect((error as WorkflowUpdateFailedError).cause?.message).toContain(why);
    }
    const { events = [] } = await boarding.handle.fetchHistory();
    expect(events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual([]);
    await boarding.handle.terminate();
  });
});

it('an answer that its check refuses leaves a failed update in the history', async () => {
  const input = merchant();
  const { externalId } = input;
  await rig.sandbox.plan('400', 'submit-merchant', { about: externalId });
  const boarding = await rig.board({ ...input, application: namedApplication(externalId) });
  const { id } = await boarding.requirement('rejected-input');
  const patch = { application: null };
  await expect(boarding.resolve(id, { kind: 'correction', patch })).rejects.toThrow();
  const { events } = await boarding.handle.fetchHistory();
  const updates = events?.flatMap(
    ({ workflowExecutionUpdateAcceptedEventAttributes, workflowExecutionUpdateCompletedEventAttributes }) => [
      ...(workflowExecutionUpdateAcceptedEventAttributes ? ['accepted'] : []),
      ...(workflowExecutionUpdateCompletedEventAttributes?.outcome?.failure ? ['failed'] : []),
    ],
  );
  expect(updates).toEqual(['accepted', 'failed']);
  await boarding.handle.terminate();
});

describe.concurrent('the timeline', () => {
  it('keeps who answered, why and what, without private values', async () => {
    const boarding = await rig.board(merchant('uw-level-1'));
    const { id } = await boarding.requirement('underwriting-note');
    await boarding.resolve(id, { kind: 'text', text: 'Ada has 123-45-6789.' }, 'olga', 'called the merchant');
    await boarding.outcome();
    const { timeline } = await boarding.state();
    expect(timeline.find(({ event }) => event === 'requirement-resolved')).toEqual({
      at: expect.any(String),
      event: 'requirement-resolved',
      detail: `${id}: text: Ada has [Redacted].`,
      actor: 'olga',
      reason: 'called the merchant',
    });
    expect(JSON.stringify(timeline)).not.toContain('6789');
  });
});
