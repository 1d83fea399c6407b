import { describe, expect, it } from 'vitest';
import type { Resolution } from '../../../src/messages/requirements.js';
import { merchant } from '../../rigs/inputs.js';
import { found, markers } from '../../rigs/privacy/markers.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { historyOf, sent } from '../../rigs/workflows/raw.js';

const rig = await sharedRig();

const NO_OTHER =
  'agentProfileId, agent, boardingSettingsId, boardingSettings, fees, application, and no other field, in the form of the input: {"merchant": {"FIELD": "VALUE"}}';

/** What people paste in the wrong place, private values first of all, and the message. */
const wrong = (
  id: string,
  marked: ReturnType<typeof markers>,
): [Partial<Record<keyof Resolution, unknown>>, string][] => [
  [{ requirementId: marked.ssn }, `requirementId: no requirement with this id is open; open: ${id}`],
  [
    { requirementId: marked.ssn, answer: { kind: 'take-back' } },
    'requirementId: no requirement with this id has an unsent answer; unsent: none',
  ],
  [{ answer: marked.noteAnswer }, 'answer: must be an object with a kind, such as {"kind": "correction"}'],
  [{ answer: { kind: marked.noteAnswer } }, `answer.kind: ${id} takes correction, adopt, retry, abandon`],
  [{ answer: correction(marked.note) }, 'answer.patch: must be an object'],
  [
    { answer: correction({ [marked.firstName]: marked.email }) },
    `answer.patch: takes one or more of merchant, ${NO_OTHER}`,
  ],
  [{ answer: correction({ merchant: marked.dba }) }, 'answer.patch.merchant: must be an object'],
  [
    { answer: correction({ merchant: { [marked.ssn]: marked.email } }) },
    'answer.patch.merchant: a field in it is not a known field',
  ],
  [
    { answer: correction({ agentProfileId: marked.ssn }) },
    'answer.patch.agentProfileId: must be a number, without quotes',
  ],
  [
    { answer: correction({ merchant: { cashDiscount: marked.familyName } }) },
    'answer.patch.merchant.cashDiscount: must be one of Yes, No',
  ],
  [
    { answer: correction({ fees: { minimumDiscountAmount: marked.code } }) },
    'answer.patch.fees.minimumDiscountAmount: must be a number such as 1234.56',
  ],
  [{ actor: '', reason: marked.reason }, 'actor: must name the person who answers'],
  [{ actor: marked.actor, reason: '' }, 'reason: must not be empty'],
];

const correction = (patch: unknown) => ({ kind: 'correction', patch });

describe.concurrent('a rejected answer', () => {
  it('has a readable reason on the wire, which quotes nothing of it, and leaves nothing private behind', async () => {
    const marked = markers();
    const boarding = await rig.board(merchant(undefined, { agentProfileId: 999 }));
    const { id: requirementId } = await boarding.requirement('rejected-input');
    const right = { requirementId, answer: { kind: 'retry' }, actor: marked.actor, reason: marked.reason };
    const messages: unknown[] = [];
    const cases = wrong(requirementId, marked);
    for (const [mistake] of cases) {
      const { message, stackTrace, bytes } = await sent(rig, boarding, 'resolveRequirement', {
        ...right,
        ...mistake,
      });
      messages.push(message);
      expect(stackTrace ?? '').toBe('');
      expect(found(bytes, marked)).toEqual([]);
    }
    expect(messages).toEqual(cases.map(([, message]) => message));
    expect(found(await historyOf(boarding), marked)).toEqual([]);
    await boarding.handle.terminate();
  });
});
