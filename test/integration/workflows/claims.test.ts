import { describe, expect, it } from 'vitest';
import { partIds } from '../../../src/temporal/find-onboarding.js';
import { customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { found, markers } from '../../rigs/privacy/markers.js';
import { sharedRig } from '../../rigs/shared-rig.js';
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

  it('leaves nothing of a person in the bytes of the history, of the list or of a rejection', async () => {
    const marked = markers();
    const { boarding, note, other } = await waiting();
    await boarding.claim(note, marked.email);
    await boarding.propose(
      other,
      { kind: 'text', text: marked.noteAnswer },
      marked.merchantEmail,
      marked.reason,
    );
    const [mine] = (await boarding.listedAs((all) => all.every(({ claim, proposal }) => claim ?? proposal)))
      .requirements;
    expect([mine?.claim?.actor, mine?.proposal?.actor]).toContain(marked.email);
    const { message, bytes } = await sent(rig, boarding, 'assignRequirement', {
      requirementId: note,
      actor: marked.actor,
      until: inFuture(HOUR),
    });
    expect(message).toMatch(/^requirementId: another person has claimed /);
    for (const each of [bytes, await historyOf(boarding), await listOf(rig, boarding)])
      expect(found(each, marked)).toEqual([]);
    await boarding.handle.terminate();
  });
});
