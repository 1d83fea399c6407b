import { describe, expect, it } from 'vitest';
import { inputQuery } from '../../src/messages/activities.js';
import type { MerchantBoardingOutcome } from '../../src/messages/onboardings.js';
import type { Requirement } from '../../src/messages/requirements.js';
import { boardingClient } from '../../src/partners/boarding/client.js';
import { byHand } from '../../src/partners/by-hand.js';
import { nudge } from '../../src/temporal/nudge.js';
import { merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import type { Rig } from '../rigs/rig.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';

const HOUR = 3_600_000;
const REVIEW = 'request-underwriting-review';
const REVIEW_STEP = 'request the review of the answers';

/** Polls often, and never: there a status is read when a write reads it, or after a nudge. */
const rig = await sharedRig();
const unaware = await sharedRig({ poll: { minMs: HOUR, maxMs: HOUR } });

type Boarding = Onboarding<MerchantBoardingOutcome>;

/** A merchant that stays where the test puts it, submitted. */
async function submitted(at: Rig, name = merchant('waiting')) {
  const boarding = await at.board(name);
  const { merchantProfileId = 0 } = await boarding.until(
    ({ timeline }) => timeline.some(({ event }) => event === 'submitted'),
    'the submission',
  );
  /** Moves the merchant, and has the workflow see it. */
  const move = async (change: Record<string, unknown>) => {
    await at.sandbox.transition(merchantProfileId, change);
    // Between two waits there is nothing to nudge, and a wait that is just being replaced takes the first nudge with it.
    for (const time of ['first', 'second'])
      await eventually(() => nudge(at.client, boarding.workflowId), Boolean, `a wait for the ${time} nudge`);
  };
  return { boarding, input: name, id: merchantProfileId, move };
}

async function noted(at: Rig, texts = ['Please send the lease.']) {
  const moved = await submitted(at);
  await moved.move({ notes: texts });
  const { requirements } = await moved.boarding.until(
    (state) => state.requirements.length === texts.length,
    'the notes',
  );
  return { ...moved, notes: requirements };
}

const answer = (boarding: Boarding, { id }: Pick<Requirement, 'id'>, text = 'Here it is.') =>
  boarding.resolve(id, { kind: 'text', text });

const happened = (boarding: Boarding, event: string) =>
  boarding.until(({ timeline }) => timeline.some((entry) => entry.event === event), event);

// Proves F5.
describe.concurrent('a request for review that was lost', () => {
  it('is not believed because the status moved for another reason', async () => {
    const { boarding, input, id, move, notes } = await noted(unaware);
    // The workflow has read Pending. A write reads the status just before it, and a poll does not.
    await unaware.sandbox.transition(id, { status: 'UW Level 1' });
    await unaware.sandbox.plan('500-before-commit', REVIEW, { about: `${id}` });
    await answer(boarding, notes[0] as Requirement);
    const question = await boarding.requirement('uncertain-write');
    expect(question.detail).toContain(`merchant ${id}`);
    expect(await boarding.events()).not.toContain('answers-delivered');

    await move({ status: 'Pending' });
    await boarding.resolve(question.id, { kind: 'retry' });
    await happened(boarding, 'answers-delivered');
    expect((await unaware.sandbox.writes(input.externalId)).slice(2)).toEqual([REVIEW]);
    expect((await unaware.sandbox.merchant(id))['reviewComments']).toEqual([
      'Please send the lease.\nHere it is.',
    ]);
  });

  // Catches a list of notes that is taken for the delivery of the answers to them.
  it('is asked about when its note is gone, because the underwriters may have withdrawn it', async () => {
    const { boarding, id, move, notes } = await noted(unaware);
    await unaware.sandbox.plan('drop-before-commit', REVIEW, { about: `${id}` });
    await answer(boarding, notes[0] as Requirement);
    await boarding.requirement('uncertain-write');
    await move({ notes: [] });
    await move({ comment: 'Thanks, found it.' });
    const { requirements, timeline } = await boarding.until(({ timeline: all }) =>
      all.some(({ detail }) => detail?.includes('Thanks, found it.')),
    );
    expect(requirements).toMatchObject([{ kind: 'uncertain-write' }]);
    expect(timeline.map(({ event }) => event)).not.toContain('answers-delivered');
    await boarding.handle.terminate();
  });

  it('is believed when the response alone was lost', async () => {
    const { boarding, input, id, notes } = await noted(rig);
    await rig.sandbox.plan('500-after-commit', REVIEW, { about: `${id}` });
    await answer(boarding, notes[0] as Requirement);
    await happened(boarding, 'answers-delivered');
    const events = await boarding.events();
    expect(events.filter((event) => event === 'requirement-raised')).toHaveLength(1);
    expect((await rig.sandbox.writes(input.externalId)).slice(2)).toEqual([REVIEW]);
  });
});

describe.concurrent('a request for review that the partner overtakes with its decision', () => {
  const ends = async (boarding: Boarding) => {
    const { timeline } = await boarding.state();
    const about = ['answer-dropped', 'answers-delivered', 'answers-wait', 'write-unfinished'];
    return timeline
      .filter(({ event }) => about.includes(event))
      .map(({ event, detail = '' }) => `${event} ${detail}`.trim());
  };

  it('is delivered when its response comes after the decision', async () => {
    const { boarding, id, notes } = await noted(unaware);
    const held = await unaware.sandbox.hold(REVIEW, `${id}`, 'delay-after-commit');
    await answer(boarding, notes[0] as Requirement);
    await held.underWay();
    await unaware.sandbox.transition(id, { status: 'Approved', mid: '4728' });
    expect(await nudge(unaware.client, boarding.workflowId)).toBe(true);
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Approved', 'the approval');
    await held.letGo();
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '4728' });
    expect(await ends(boarding)).toEqual([`write-unfinished ${REVIEW_STEP}: done`, 'answers-delivered']);
  });

  it('is asked about once the partner takes the decision back', async () => {
    const { boarding, input, id, move, notes } = await noted(unaware);
    await unaware.sandbox.plan('500-before-commit', REVIEW, {
      about: `${id}`,
      meanwhile: { status: 'Approved' },
    });
    await answer(boarding, notes[0] as Requirement);
    const { requirements } = await boarding.until(
      ({ partnerStatus }) => partnerStatus === 'Approved',
      'the approval, still without a mid',
    );
    expect(requirements).toEqual([]);
    await move({ status: 'UW Level 1: Pending' });
    const question = await boarding.requirement('uncertain-write');
    await boarding.resolve(question.id, { kind: 'retry' });
    await happened(boarding, 'answers-delivered');
    expect((await unaware.sandbox.writes(input.externalId)).slice(2)).toEqual([REVIEW]);
  });
});

describe.concurrent('a submission of changes', () => {
  const WANTED = { status: 'RequestChanges', comment: 'The volume does not match.' };

  async function asked(at: Rig) {
    const moved = await submitted(at);
    await moved.move(WANTED);
    const requirement = await moved.boarding.requirement('changes-requested');
    const submissions = async () =>
      (await at.sandbox.writes(moved.input.externalId)).filter((write) => write === 'submit-merchant').length;
    return { ...moved, requirement, submissions };
  }

  it('is not sent when the status has moved on, and goes out when the partner wants the changes again', async () => {
    const { boarding, id, move, requirement, submissions } = await asked(unaware);
    const read = await unaware.sandbox.hold('get-status', `id=${id}`);
    await boarding.resolve(requirement.id, { kind: 'correction', patch: { fees: { cashDiscountRate: 3 } } });
    await read.underWay();
    await unaware.sandbox.transition(id, { status: 'UW Level 2' });
    await read.letGo();
    await happened(boarding, 'submission-superseded');
    expect(await submissions()).toBe(1);
    await move(WANTED);
    await boarding.until(
      ({ timeline }) => timeline.filter(({ event }) => event === 'submitted').length === 2,
      'the second submission',
    );
    expect(await submissions()).toBe(2);
    const events = await boarding.events();
    expect(events.filter((event) => event === 'requirement-raised')).toHaveLength(1);
  });

  it('that is not sent leaves the fees in the input that the partner has, and no other correction of its answer', async () => {
    const { boarding, id, requirement } = await asked(unaware);
    const read = await unaware.sandbox.hold('get-status', `id=${id}`);
    const patch = { fees: { cashDiscountRate: 3 }, application: { annualVolume: 120_000 } };
    await boarding.resolve(requirement.id, { kind: 'correction', patch });
    await read.underWay();
    await unaware.sandbox.transition(id, { status: 'UW Level 2' });
    await read.letGo();
    const { input } = await eventually(
      async () => {
        await happened(boarding, 'submission-superseded');
        return boarding.handle.query(inputQuery);
      },
      (now) => !('application' in now.input),
      'the input without the correction',
    );
    expect(input).toMatchObject({ fees: { cashDiscountRate: 3 } });
  });

  it('that is on its way when the partner wants other changes is followed by a question about these', async () => {
    const { boarding, id, requirement, submissions } = await asked(unaware);
    const held = await unaware.sandbox.hold('submit-merchant', `${id}`, 'delay-after-commit');
    await boarding.resolve(requirement.id, { kind: 'retry' });
    await held.underWay();
    const detail = 'The volume matches, the fees do not.';
    await unaware.sandbox.transition(id, { status: 'RequestChanges', comment: detail });
    expect(await nudge(unaware.client, boarding.workflowId)).toBe(true);
    await boarding.until(({ timeline }) => timeline.at(-1)?.detail === `RequestChanges: ${detail}`, detail);
    await held.letGo();
    await boarding.until(({ requirements }) => requirements[0]?.detail === detail, 'the other changes');
    expect(await submissions()).toBe(2);
  });

  const ends = async (boarding: Boarding) =>
    (await boarding.state()).timeline
      .filter(({ event }) => ['write-confirmed', 'submission-superseded', 'answer-dropped'].includes(event))
      .map(({ event, detail }) => `${event} ${detail}`);
  const correction = { kind: 'correction', patch: { application: { annualVolume: 120_000 } } } as const;

  it.each(['meanwhile', 'while a person is asked'])(
    'whose outcome is unknown stays unknown when the partner declines %s',
    async (when) => {
      const { boarding, id, requirement } = await asked(unaware);
      const meanwhile = when === 'meanwhile' ? { status: 'Declined' } : undefined;
      await unaware.sandbox.plan('500-before-commit', 'submit-merchant', { about: `${id}`, meanwhile });
      await boarding.resolve(requirement.id, correction);
      if (!meanwhile) {
        await boarding.requirement('uncertain-write');
        await unaware.sandbox.transition(id, { status: 'Declined' });
        await eventually(() => nudge(unaware.client, boarding.workflowId), Boolean, 'a wait for the nudge');
      }
      expect(await boarding.outcome()).toMatchObject({
        outcome: 'declined',
        unfinished: [{ write: 'submit to underwriting', outcome: 'uncertain' }],
      });
      expect(await ends(boarding)).toEqual([
        `answer-dropped ${requirement.id}: the partner decided while it was in flight; whether it arrived is unknown`,
      ]);
      const raised = (await boarding.events()).filter((event) => event === 'requirement-raised');
      expect(raised).toHaveLength(meanwhile ? 1 : 2);
    },
  );

  it('whose outcome is unknown is asked about once an approval without a mid is taken back', async () => {
    const { boarding, id, move, requirement, submissions } = await asked(unaware);
    await unaware.sandbox.plan('500-before-commit', 'submit-merchant', {
      about: `${id}`,
      meanwhile: { status: 'Approved' },
    });
    await boarding.resolve(requirement.id, correction);
    const { requirements } = await boarding.until(({ stage }) => stage === 'boarding', 'the approval');
    expect(requirements).toEqual([]);
    await move(WANTED);
    const question = await boarding.requirement('uncertain-write');
    await boarding.resolve(question.id, { kind: 'retry' });
    await boarding.until(
      ({ timeline }) => timeline.filter(({ event }) => event === 'submitted').length === 2,
      'the second submission',
    );
    expect(await submissions()).toBe(2);
  });
});

describe.concurrent('answers to notes', () => {
  it('wait for the answer to a note that no earlier list had', async () => {
    const { boarding, input, id, notes } = await noted(unaware, ['Which goods?']);
    await unaware.sandbox.transition(id, { notes: ['Which goods?', 'Which suppliers?'] });
    await answer(boarding, notes[0] as Requirement, 'Bread.');
    const { requirements } = await boarding.until(
      (state) => state.requirements.length === 1,
      'the other note',
    );
    expect(requirements).toMatchObject([{ kind: 'underwriting-note', detail: 'Which suppliers?' }]);
    expect(await unaware.sandbox.writes(input.externalId)).not.toContain(REVIEW);
    await answer(boarding, requirements[0] as Requirement, 'A mill.');
    await happened(boarding, 'answers-delivered');
    expect((await unaware.sandbox.merchant(id))['reviewComments']).toEqual([
      'Which goods?\nBread.\n\nWhich suppliers?\nA mill.',
    ]);
  });

  it('that are gone are dropped', async () => {
    const { boarding, id, move, notes } = await noted(unaware, ['Which goods?', 'Which suppliers?']);
    const [goods] = notes as [Requirement];
    await answer(boarding, goods);
    const settings = { username: 'sandbox', password: 'sandbox' };
    const portal = byHand(boardingClient({ url: unaware.sandbox.url, ...settings }));
    unaware.atClose(() => portal.close());
    await portal.requestUnderwritingReview({ id });
    await move({ status: 'Pending' });
    const { timeline, unsent } = await happened(boarding, 'answer-dropped');
    const dropped = timeline.find(({ event }) => event === 'answer-dropped');
    expect([dropped?.detail, unsent]).toEqual([`${goods.id}: the underwriters no longer ask`, []]);
  });

  it('that the partner rejects can be taken back, changed, and sent again', async () => {
    const { boarding, input, id, notes } = await noted(unaware, ['Which goods?', 'Which suppliers?']);
    const [goods, suppliers] = notes as [Requirement, Requirement];
    await unaware.sandbox.plan('400', REVIEW, { about: `${id}` });
    await answer(boarding, goods, 'Bread.');
    await answer(boarding, suppliers, 'A mill.');
    const rejected = await boarding.requirement('rejected-input');
    expect(rejected).toMatchObject({
      title: 'Rejected: request the review of the answers',
      detail: 'BadRequest\nTo change an answer, take it back.',
      answers: ['retry', 'abandon'],
    });
    await boarding.resolve(goods.id, { kind: 'take-back' });
    const { requirements } = await boarding.until(
      (state) => state.requirements.every(({ kind }) => kind !== 'rejected-input'),
      'the end of the question',
    );
    expect(requirements).toMatchObject([{ id: goods.id }]);
    expect((await unaware.sandbox.writes(input.externalId)).slice(2)).toEqual([]);
    await answer(boarding, goods, 'Bread and rolls.');
    await happened(boarding, 'answers-delivered');
    expect((await unaware.sandbox.merchant(id))['reviewComments']).toEqual([
      'Which suppliers?\nA mill.\n\nWhich goods?\nBread and rolls.',
    ]);
  });

  it('that the partner rejects are sent again as they are when a person wants that', async () => {
    const { boarding, id, notes } = await noted(unaware);
    await unaware.sandbox.plan('400', REVIEW, { about: `${id}` });
    await answer(boarding, notes[0] as Requirement);
    await boarding.resolve((await boarding.requirement('rejected-input')).id, { kind: 'retry' });
    await happened(boarding, 'answers-delivered');
    expect((await unaware.sandbox.merchant(id))['reviewComments']).toEqual([
      'Please send the lease.\nHere it is.',
    ]);
  });

  it('wait when the partner rejects them because the status moved, and are delivered when it takes them', async () => {
    const { boarding, input, id, move, notes } = await noted(unaware);
    const held = await unaware.sandbox.hold(REVIEW, `${id}`);
    await answer(boarding, notes[0] as Requirement);
    await held.underWay();
    await unaware.sandbox.transition(id, { status: 'UW Level 1' });
    await held.letGo();
    await happened(boarding, 'answers-wait');
    expect(await boarding.events()).not.toContain('answers-delivered');
    await move({ status: 'Pending' });
    await happened(boarding, 'answers-delivered');
    const events = await boarding.events();
    expect(events.filter((event) => event === 'requirement-raised')).toHaveLength(1);
    expect((await unaware.sandbox.writes(input.externalId)).slice(2)).toEqual([REVIEW]);
  });

  // Alone catches answers that are taken for refused, because one read did not list their note.
  it('wait for a while when the partner hides their note, which it has shown and hidden before', async () => {
    const { boarding, id, move } = await noted(unaware);
    for (const _ of ['second', 'third', 'fourth']) {
      await move({ notes: [] });
      await boarding.until(({ requirements }) => requirements.length === 0, 'the end of the question');
      await move({ notes: ['Please send the lease.'] });
      await boarding.requirement('underwriting-note');
    }
    await unaware.sandbox.transition(id, { notes: [] });
    await answer(boarding, await boarding.requirement('underwriting-note'));
    const { timeline } = await happened(boarding, 'answers-wait');
    expect(timeline.at(-1)).toMatchObject({ detail: 'the partner does not list their notes now' });
    await boarding.handle.terminate();
  });

  it('are kept while the status leaves review for a moment', async () => {
    const { boarding, id, move, notes } = await noted(rig, ['Which goods?', 'Which suppliers?']);
    await answer(boarding, notes[0] as Requirement, 'Bread.');
    await move({ status: 'Approved' });
    await boarding.until(({ stage }) => stage === 'boarding', 'the approval');
    await move({ status: 'Pending' });
    const { requirements } = await boarding.until(
      (state) => state.requirements.length > 0,
      'the second note',
    );
    expect(requirements).toMatchObject([{ about: notes[1]?.id, id: `${notes[1]?.id}-2` }]);
    await answer(boarding, requirements[0] as Requirement, 'A mill.');
    await happened(boarding, 'answers-delivered');
    expect((await rig.sandbox.merchant(id))['reviewComments']).toEqual([
      'Which goods?\nBread.\n\nWhich suppliers?\nA mill.',
    ]);
  });
});

describe.concurrent('a note that is asked again', () => {
  const TEXT = 'Please send the lease.';

  it('after the review is raised again, is due again, and is answered again', async () => {
    const soon = { dueInHours: 1 / 3_600 };
    const { boarding, id, move } = await submitted(rig, merchant('waiting', soon));
    const overdue = (times: number) =>
      boarding.until(
        ({ timeline }) => timeline.filter(({ event }) => event === 'requirement-overdue').length === times,
        `reminder ${times}`,
      );
    await move({ notes: [TEXT] });
    const first = await boarding.requirement('underwriting-note');
    await overdue(1);
    await answer(boarding, first, 'Attached.');
    await happened(boarding, 'answers-delivered');
    await move({ status: 'Pending', notes: [TEXT] });
    const second = await boarding.requirement('underwriting-note');
    expect(second).toMatchObject({ id: `${first.id}-2`, about: first.id, detail: TEXT });
    await overdue(2);
    await answer(boarding, second, 'Signed.');
    await boarding.until(({ requirements }) => requirements.length === 0, 'the delivery');
    await boarding.until(
      ({ timeline }) => timeline.filter(({ event }) => event === 'answers-delivered').length === 2,
      'the second delivery',
    );
    expect((await rig.sandbox.merchant(id))['reviewComments']).toEqual([
      `${TEXT}\nAttached.`,
      `${TEXT}\nSigned.`,
    ]);
  });
});
