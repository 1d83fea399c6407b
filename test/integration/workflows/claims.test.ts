import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { partIds } from '../../../src/temporal/onboardings.js';
import { customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { found, markers } from '../../rigs/privacy/markers.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { bankOf } from '../../rigs/workflows/bank.js';
import { accountOf, asked, withAccounts } from '../../rigs/workflows/partner-account.js';
import { historyOf, listOf, sent } from '../../rigs/workflows/raw.js';

const rig = await sharedRig();

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

  it('is rejected while another person has one, with the name and the end', async () => {
    const { boarding, note } = await waiting();
    const { claim } = await boarding.claim(note, 'olga');
    const written = await boarding.written();
    const message = `requirementId: olga has claimed ${note} until ${claim?.until}`;
    await expect(boarding.claim(note, 'pete')).rejects.toThrow(message);
    const release = sent(rig, boarding, 'claimRequirement', { requirementId: note, actor: 'pete' });
    expect((await release).message).toBe(
      `requirementId: another person has claimed ${note} until ${claim?.until}`,
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
    expect(message).toMatch(/^requirementId: another person has claimed /);
    for (const each of [bytes, await historyOf(boarding), await listOf(rig, boarding)])
      expect(found(each, marked)).toEqual([]);
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
    const closing = await bank.operate('close-card', randomUUID(), card);
    const { id } = await closing.requirement('uncertain-write');
    await closing.claim(id, 'olga');
    expect(await claimOf(closing, id)).toMatchObject({ actor: 'olga' });
    await closing.resolve(id, { kind: 'retry' }, 'pete');
    expect(await closing.outcome()).toMatchObject({ outcome: 'done' });
  });
});
