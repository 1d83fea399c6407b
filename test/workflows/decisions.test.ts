import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/messages/requirements.js';
import { stored } from '../rigs/commands/files.js';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();
/** Its status polls read so rarely that none reads between a write that a test waits for and what the test does next. */
const rarelyReading = await sharedRig({ poll: { minMs: 10_000, maxMs: 10_000 } });

const DECLINED = { status: 'Declined', comment: 'no' };

async function documents(...names: string[]): Promise<Answer> {
  return { kind: 'documents', documents: await Promise.all(names.map((name) => stored(rig, name))) };
}

/** A boarding whose one note has an answer of two documents, whose uploads the sandbox holds: the first after its effect. */
async function uploading() {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId: id = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
  await rig.sandbox.transition(id, { notes: ['Please send statements.'] });
  const note = await boarding.requirement('underwriting-note');
  const held = await rig.sandbox.hold('upload-attachment', `id=${id}`, 'delay-after-commit', 2);
  await boarding.resolve(note.id, await documents('may.pdf', 'june.pdf'));
  await held.underWay();
  return { boarding, id, noteId: note.id, held };
}

const bothDone = [
  { write: 'upload may.pdf', outcome: 'done' },
  { write: 'upload june.pdf', outcome: 'done' },
];
const byName = (one: { write: string }, other: { write: string }) => (one.write < other.write ? 1 : -1);

// Proves F3.
describe.concurrent('two uploads in flight are seen through, and each is named', () => {
  it('when the partner decides', async () => {
    const { boarding, id, noteId, held } = await uploading();
    await rig.sandbox.transition(id, DECLINED);
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Declined', 'the decision');
    await held.letGo();
    const { unfinished = [], ...outcome } = await boarding.outcome();
    expect(outcome).toEqual({ outcome: 'declined', comment: 'no', merchantProfileId: id });
    expect([...unfinished].sort(byName)).toEqual(bothDone);
    const { stage, timeline } = await boarding.state();
    expect(stage).toBe('declined');
    expect((await boarding.handle.describe()).status.name).toBe('COMPLETED');
    expect(timeline.find(({ event }) => event === 'answer-dropped')?.detail).toBe(
      `${noteId}: the partner decided after a document was uploaded, but before the review was requested`,
    );
  });

  it('when the boarding is canceled', async () => {
    const { boarding, id, held } = await uploading();
    await boarding.handle.cancel();
    await boarding.cancellationSeen();
    await held.letGo();
    await expect(boarding.outcome()).rejects.toThrow();
    const { timeline } = await boarding.state();
    const { detail } = timeline.find(({ event }) => event === 'cancelled') ?? {};
    expect(detail).toContain(`merchant ${id} stays at the partner`);
    expect(detail).toContain('upload may.pdf: was in flight, and succeeded');
    expect(detail).toContain('upload june.pdf: was in flight, and succeeded');
  });
});

it('an answer that is in doubt when the partner approves has one end in the timeline: unknown', async () => {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId: id = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
  await rig.sandbox.transition(id, { notes: ['Which goods?'] });
  const note = await boarding.requirement('underwriting-note');
  await rig.sandbox.plan('500-before-commit', 'request-underwriting-review', { about: `${id}` });
  await boarding.resolve(note.id, { kind: 'text', text: 'Bread.' });
  await boarding.requirement('uncertain-write');
  await rig.sandbox.transition(id, { status: 'Approved', mid: '4727' });
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '4727' });
  const { timeline } = await boarding.state();
  const ends = timeline.filter(({ event }) => /^answer(-dropped|s-)/.test(event));
  expect(ends.map(({ event, detail }) => `${event} ${detail}`)).toEqual([
    `answer-dropped ${note.id}: the partner decided while it was in flight; whether it arrived is unknown`,
  ]);
});

it('an answer whose submission of changes succeeded counts as submitted, although the partner decided meanwhile', async () => {
  const boarding = await rarelyReading.board(merchant('waiting'));
  const { merchantProfileId: id = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
  await rarelyReading.sandbox.transition(id, { status: 'RequestChanges', comment: 'Which volume?' });
  const { id: question } = await boarding.requirement('changes-requested');
  const held = await rarelyReading.sandbox.hold('submit-merchant', `${id}`, 'delay-after-commit');
  await boarding.resolve(question, { kind: 'correction', patch: { application: { annualVolume: 120_000 } } });
  await held.underWay();
  await rarelyReading.sandbox.transition(id, DECLINED);
  await boarding.until(({ partnerStatus }) => partnerStatus === 'Declined', 'the decision');
  await held.letGo();
  const submission = { write: 'submit to underwriting', outcome: 'done' };
  expect(await boarding.outcome()).toMatchObject({ outcome: 'declined', unfinished: [submission] });
  const { timeline } = await boarding.state();
  const ends = timeline.filter(({ event }) => /^(submitted|answer-)/.test(event));
  expect(ends.map(({ event }) => event)).toEqual(['submitted', 'submitted']);
});
