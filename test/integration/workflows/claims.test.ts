import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partIds } from '../../../src/temporal/onboardings.js';
import { customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { found, markers } from '../../rigs/privacy/markers.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { bankOf } from '../../rigs/workflows/bank.js';
import { accountOf, asked, withAccounts } from '../../rigs/workflows/partner-account.js';
import { historyOf, listOf, sent } from '../../rigs/workflows/raw.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const TEXT = { kind: 'text', text: 'One sale in ten.' } as const;
const HOUR = 3_600_000;
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

/** A boarding with two notes that nobody has answered. */
async function waiting() {
  const boarding = await rig.board(merchant('notes'));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  const [note, other] = requirements.map(({ id }) => id);
  return { boarding, note: note ?? '', other: other ?? '' };
}

const claimOf = async (boarding: Onboarding<unknown>, requirementId: string) =>
  (await boarding.state()).requirements.find(({ id }) => id === requirementId)?.claim;

const handled = ({ event }: { readonly event: string }) =>
  ['requirement-claimed', 'requirement-released', 'requirement-taken-over'].includes(event);

describe.concurrent('a claim', () => {
  it('shows who works on a requirement and until when: in the state, in the list, and in the Web UI', async () => {
    const { boarding, note, other } = await waiting();
    const until = inFuture(HOUR);
    expect(await boarding.claim(note, 'olga', { until })).toEqual({
      requirementId: note,
      claim: { actor: 'olga', until },
    });
    expect(await claimOf(boarding, note)).toEqual({ actor: 'olga', until });
    expect(await claimOf(boarding, other)).toBeUndefined();
    const { requirements } = await boarding.listedAs((all) => all.some(({ claim }) => claim));
    expect(requirements.find(({ id }) => id === note)?.claim).toEqual({ actor: 'olga', until });
    expect(requirements.find(({ id }) => id === other)).not.toHaveProperty('claim');
    const minute = `${until.slice(0, 16).replace('T', ' ')} UTC`;
    expect(await boarding.currentDetails()).toContain(`**Claimed** by olga until ${minute}.`);
    const { timeline } = await boarding.state();
    expect(timeline.at(-1)).toMatchObject({
      ...{ event: 'requirement-claimed', detail: `${note}: until ${minute}`, actor: 'olga' },
    });
    await boarding.handle.terminate();
  });

  it('costs the events of its update and one for the memo', async () => {
    const { boarding, note } = await waiting();
    const before = await boarding.written();
    await boarding.claim(note, 'olga');
    const more = [...(await boarding.written())];
    for (const event of before) more.splice(more.indexOf(event), 1);
    expect(more).toEqual([
      'workflowExecutionUpdateAcceptedEventAttributes',
      'workflowExecutionUpdateCompletedEventAttributes',
      'workflowPropertiesModifiedEventAttributes',
    ]);
    await boarding.handle.terminate();
  });

  it('is at the part that asks, and costs no event of its customer', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'notes', business: 'waiting' }));
    await onboarding.until(
      ({ requirements, business }) => requirements.length === 2 && business?.partnerStatus === 'Submitted',
      'both under way',
    );
    const boarding = new Onboarding(rig.client, partIds(onboarding.workflowId).boarding);
    const { id } = await boarding.requirement('underwriting-note');
    const before = await onboarding.written();
    await boarding.claim(id, 'olga');
    await boarding.propose(id, TEXT);
    expect(await claimOf(boarding, id)).toMatchObject({ actor: 'olga' });
    const { merchantProfileId = 0 } = await boarding.state();
    // The next report shows that none was on its way, and that reports go on.
    await rig.sandbox.transition(merchantProfileId, { status: 'Looked at it' });
    const { requirements } = await onboarding.until(
      ({ boarding: part }) => part?.partnerStatus === 'Looked at it',
      'the next report',
    );
    expect(requirements).toHaveLength(2);
    for (const requirement of requirements) {
      expect(requirement).not.toHaveProperty('claim');
      expect(requirement).not.toHaveProperty('proposal');
    }
    const signals = (events: readonly string[]) => events.filter((event) => /Signaled/.test(event)).length;
    expect(signals(await onboarding.written()) - signals(before)).toBe(1);
    await onboarding.handle.terminate();
  });

  it('is rejected while somebody else has one, with who and until when', async () => {
    const { boarding, note } = await waiting();
    const { claim } = await boarding.claim(note, 'olga');
    const written = await boarding.written();
    const message = `requirementId: olga has claimed ${note} until ${claim?.until}`;
    await expect(boarding.claim(note, 'pete')).rejects.toThrow(message);
    const release = sent(rig, boarding, 'claimRequirement', { requirementId: note, actor: 'pete' });
    expect((await release).message).toBe(
      `requirementId: somebody else has claimed ${note} until ${claim?.until}`,
    );
    expect(await claimOf(boarding, note)).toMatchObject({ actor: 'olga' });
    expect(await boarding.written()).toEqual(written);
    await boarding.handle.terminate();
  });

  it('by two people at once is that of one, and the rejection of the other names who has it', async () => {
    const { boarding, note } = await waiting();
    const both = await Promise.allSettled(['olga', 'pete'].map((actor) => boarding.claim(note, actor)));
    const [won, ...more] = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value.claim] : []));
    const lost = both.flatMap((each) => (each.status === 'rejected' ? [String(each.reason.message)] : []));
    expect(more).toEqual([]);
    expect(lost).toEqual([expect.stringContaining(`${won?.actor} has claimed ${note}`)]);
    expect(await claimOf(boarding, note)).toEqual(won);
    await boarding.handle.terminate();
  });

  it('is extended by the same person, however they write their name, and taken over only on purpose', async () => {
    const { boarding, note } = await waiting();
    await boarding.claim(note, 'olga', { until: inFuture(HOUR) });
    const until = inFuture(2 * HOUR);
    await boarding.claim(note, ' Olga ', { until });
    expect(await claimOf(boarding, note)).toEqual({ actor: 'Olga', until });
    await boarding.claim(note, 'pete', { until, override: true });
    expect(await claimOf(boarding, note)).toEqual({ actor: 'pete', until });
    const { timeline } = await boarding.state();
    expect(timeline.filter(handled)).toMatchObject([
      { event: 'requirement-claimed', actor: 'olga' },
      { event: 'requirement-claimed', actor: 'Olga' },
      {
        event: 'requirement-taken-over',
        actor: 'pete',
        detail: expect.stringMatching(/; Olga had it until \d{4}-.* UTC$/),
      },
    ]);
    await boarding.handle.terminate();
  });

  it('is released by its holder, which leaves nothing in the list; a second release does nothing', async () => {
    const { boarding, note } = await waiting();
    await boarding.claim(note, 'olga');
    await boarding.listedAs((all) => all.some(({ claim }) => claim));
    const release = { requirementId: note, actor: 'olga' };
    expect((await sent(rig, boarding, 'claimRequirement', release)).message).toBeUndefined();
    expect(await claimOf(boarding, note)).toBeUndefined();
    await boarding.listedAs((all) => all.every(({ claim }) => !claim));
    await sent(rig, boarding, 'claimRequirement', { ...release, actor: 'pete', until: null });
    const { timeline } = await boarding.state();
    expect(timeline.filter(handled).map(({ event }) => event)).toEqual([
      'requirement-claimed',
      'requirement-released',
    ]);
    await boarding.handle.terminate();
  });

  it('ends by itself, without a timer: then anybody can claim the requirement', async () => {
    const { boarding, note } = await waiting();
    const timers = async () => (await boarding.written()).filter((event) => event.startsWith('timer'));
    const before = await timers();
    const until = inFuture(5_000);
    await boarding.claim(note, 'olga', { until });
    await sleep(Date.parse(until) - Date.now() + 100);
    expect(await timers()).toEqual(before);
    const { requirements } = await boarding.listedAs((all) => all.length === 2);
    expect(requirements.filter(({ claim }) => claim)).toEqual([]);
    // A release of an ended claim does nothing, whoever asks for it.
    const release = await sent(rig, boarding, 'claimRequirement', { requirementId: note, actor: 'pete' });
    expect(release.message).toBeUndefined();
    await boarding.claim(note, 'pete');
    expect(await claimOf(boarding, note)).toMatchObject({ actor: 'pete' });
    const { timeline } = await boarding.state();
    expect(timeline.filter(handled).map(({ event, actor }) => `${event} ${actor}`)).toEqual([
      'requirement-claimed olga',
      'requirement-claimed pete',
    ]);
    await boarding.handle.terminate();
  });

  it('does not keep anybody else from answering, and ends with the answer', async () => {
    const { boarding, note, other } = await waiting();
    await Promise.all([boarding.claim(note, 'olga'), boarding.claim(other, 'olga')]);
    await boarding.listedAs((all) => all.every(({ claim }) => claim));
    await boarding.resolve(note, TEXT, 'pete');
    await boarding.listedAs((all) => all.length === 1);
    await boarding.resolve(note, { kind: 'take-back' }, 'pete');
    expect(await claimOf(boarding, note)).toBeUndefined();
    expect(await claimOf(boarding, other)).toMatchObject({ actor: 'olga' });
    for (const id of [note, other]) await boarding.resolve(id, TEXT, 'pete');
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  });

  it('ends when the partner makes the requirement obsolete', async () => {
    const { boarding, note } = await waiting();
    await boarding.claim(note, 'olga');
    const { merchantProfileId = 0 } = await boarding.state();
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
    expect((await boarding.state()).requirements).toEqual([]);
  });

  it('leaves nothing of a person in the bytes of the history, of the list or of a rejection', async () => {
    const marked = markers();
    const { boarding, note, other } = await waiting();
    await boarding.claim(note, marked.email);
    await boarding.propose(
      other,
      { kind: 'text', text: marked.noteAnswer },
      marked.adminEmail,
      marked.reason,
    );
    const [mine] = (await boarding.listedAs((all) => all.every(({ claim, proposal }) => claim ?? proposal)))
      .requirements;
    expect([mine?.claim?.actor, mine?.proposal?.actor]).toContain(marked.email);
    const { message, bytes } = await sent(rig, boarding, 'claimRequirement', {
      ...{ requirementId: note, actor: marked.actor, until: inFuture(HOUR) },
    });
    expect(message).toMatch(/^requirementId: somebody else has claimed /);
    for (const each of [bytes, await historyOf(boarding), await listOf(rig, boarding)])
      expect(found(each, marked)).toEqual([]);
    await boarding.handle.terminate();
  });
});

describe.concurrent('a claim that does not fit', () => {
  it('is rejected with the field and the rule, and leaves no history', async () => {
    const { boarding, note, other } = await waiting();
    const right = { requirementId: note, actor: 'olga', until: inFuture(HOUR) };
    const form = 'until: must be a time with its zone, such as 2026-01-31T14:00:00Z';
    const unknown = `requirementId: no requirement with this id is open; open: ${note}, ${other}`;
    const cases: [unknown, string][] = [
      [null, unknown],
      ['olga', unknown],
      [{ ...right, requirementId: 1 }, unknown],
      [{ ...right, actor: 1 }, 'actor: must name a person'],
      [{ ...right, requirementId: 'note-1' }, unknown],
      [{ ...right, requirementId: 'note-1', until: undefined }, unknown],
      [{ ...right, actor: ' ' }, 'actor: must name a person'],
      [{ ...right, actor: undefined, until: undefined }, 'actor: must name a person'],
      [{ ...right, until: 'tomorrow' }, form],
      [{ ...right, until: '2099-01-31' }, form],
      [{ ...right, until: '2099-01-31T14:00:00' }, form],
      [{ ...right, until: 4 }, form],
      [{ ...right, until: inFuture(-60_000) }, 'until: must not be in the past'],
      [{ ...right, until: inFuture(7 * 24 * HOUR + 60_000) }, 'until: must be at most 7 days ahead'],
      [{ ...right, override: 'yes' }, 'override: must be true or false'],
    ];
    const written = await boarding.written();
    for (const [request, message] of cases)
      expect((await sent(rig, boarding, 'claimRequirement', request)).message).toBe(message);
    expect(await boarding.written()).toEqual(written);
    await boarding.handle.terminate();
  });
});

describe.concurrent('a claim is possible', () => {
  it('of a requirement of a partner account', async () => {
    await withAccounts(async (own) => {
      await own.startWorker({ password: 'wrong' });
      await own.board(merchant());
      const account = accountOf(own, 'boarding');
      const { id } = await asked(account, 'credentials');
      await account.claim(id, 'olga');
      const { requirements } = await account.listedAs((all) => all.some(({ claim }) => claim));
      expect(requirements).toMatchObject([{ kind: 'credentials', claim: { actor: 'olga' } }]);
    });
  });

  it('of a requirement of a single operation', async () => {
    const bank = bankOf(rig);
    const card = await bank.card();
    await rig.sandbox.plan('drop-before-commit', 'close-card', { about: card.paymentCardId });
    // The bank of another test has a card of the same id.
    const closing = await bank.operate('closeCard', randomUUID(), card);
    const { id } = await closing.requirement('uncertain-write');
    await closing.claim(id, 'olga');
    expect(await claimOf(closing, id)).toMatchObject({ actor: 'olga' });
    await closing.resolve(id, { kind: 'retry' }, 'pete');
    expect(await closing.outcome()).toMatchObject({ outcome: 'done' });
  });
});
