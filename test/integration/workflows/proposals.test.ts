import { describe, expect, it } from 'vitest';
import { answersIn } from '../../../src/temporal/history.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { sent } from '../../rigs/workflows/raw.js';

const rig = await sharedRig();

const TEXT = { kind: 'text', text: 'One sale in ten.' } as const;

async function waiting() {
  const boarding = await rig.board(merchant('notes'));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  const [note, other] = requirements.map(({ id }) => id);
  return { boarding, note: note ?? '', other: other ?? '' };
}

const entriesOf = async (boarding: Onboarding<unknown>, ...events: readonly string[]) =>
  (await boarding.state()).timeline.filter(({ event }) => events.includes(event));

describe.concurrent('a proposed answer', () => {
  it('reaches the partner when a second person confirms it; the timeline and the history have both people', async () => {
    const { boarding, note, other } = await waiting();
    const { proposedAt } = await boarding.propose(note, TEXT);
    const receipt = await boarding.confirm(note, proposedAt, 'olga', 'looks right');
    const reason = 'called the merchant; confirmed by olga: looks right';
    const resolution = { requirementId: note, answer: TEXT, actor: 'pete', reason };
    expect(receipt).toEqual({ requirementId: note, acceptedAt: expect.any(String), open: 1, resolution });
    const { proposedAt: second } = await boarding.propose(other, TEXT);
    await boarding.confirm(other, second);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    const { merchantProfileId = 0 } = await boarding.state();
    const { reviewComments } = await rig.sandbox.merchant(merchantProfileId);
    expect(String(reviewComments)).toContain('One sale in ten.');
    expect(await entriesOf(boarding, 'answer-proposed', 'requirement-resolved')).toMatchObject([
      { detail: `${note}: text: One sale in ten.`, actor: 'pete', reason: 'called the merchant' },
      { detail: `${note}: text: One sale in ten.`, actor: 'pete', reason },
      { event: 'answer-proposed', detail: `${other}: text: One sale in ten.` },
      { actor: 'pete', reason: 'called the merchant; confirmed by olga' },
    ]);
    const { workflowId } = boarding;
    const { events = [] } = await boarding.handle.fetchHistory();
    expect(await answersIn(rig.client, { workflowId, events: events ?? [] })).toMatchObject([
      resolution,
      { requirementId: other },
    ]);
  });
});

describe.concurrent('a proposed correction', () => {
  it('that two people confirm at once is applied once, although its check takes time', async () => {
    const boarding = await rig.board(merchant(undefined, { agentProfileId: 999 }));
    const { id } = await boarding.requirement('rejected-input');
    const { proposedAt } = await boarding.propose(id, { kind: 'correction', patch: { agentProfileId: 102 } });
    const all = await Promise.allSettled([
      boarding.confirm(id, proposedAt, 'olga'),
      boarding.confirm(id, proposedAt, 'paula'),
      boarding.resolve(id, { kind: 'correction', patch: { agentProfileId: 101 } }),
    ]);
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await entriesOf(boarding, 'requirement-resolved')).toHaveLength(1);
  });
});

describe.concurrent('four eyes', () => {
  it('reject what does not fit, and write no history for it', async () => {
    const { boarding, note } = await waiting();
    const { proposedAt } = await boarding.propose(note, TEXT);
    const by = (actor: string) => ({ requirementId: note, proposedAt, actor });
    const cases: [update: string, unknown, message: string][] = [
      ['proposeAnswer', { ...by('pete'), answer: TEXT, reason: '' }, 'reason: must not be empty'],
      ['confirmAnswer', by(' PETE '), 'actor: must not be the person who proposed the answer'],
      ['withdrawProposal', by(' '), 'actor: must name a person'],
    ];
    const written = await boarding.written();
    for (const [update, request, message] of cases)
      expect((await sent(rig, boarding, update, request)).message).toBe(message);
    expect(await boarding.written()).toEqual(written);
    await boarding.handle.terminate();
  });
});
