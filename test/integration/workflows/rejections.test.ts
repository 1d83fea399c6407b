import { expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { found, markers } from '../../rigs/privacy/markers.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { historyOf, sent } from '../../rigs/workflows/raw.js';

const rig = await sharedRig();

const correction = (patch: unknown) => ({ answer: { kind: 'correction', patch } });

/** All messages: test/unit/workflows/resolution-check.test.ts and test/unit/activities/corrections.test.ts. */
it('a rejected answer has a readable reason on the wire, which quotes nothing of it, and leaves nothing private behind', async () => {
  const marked = markers();
  const { ssn, email, firstName, noteAnswer, actor, reason } = marked;
  const boarding = await rig.board(merchant(undefined, { agentProfileId: 999 }));
  const { id: requirementId } = await boarding.requirement('rejected-input');
  const cases: [object, string][] = [
    [{ requirementId: ssn }, `requirementId: no requirement with this ID is open; open: ${requirementId}`],
    [
      { requirementId: ssn, answer: { kind: 'take-back' } },
      'requirementId: no requirement with this ID has an unsent answer; unsent: none',
    ],
    [{ answer: noteAnswer }, 'answer: must be an object with a kind, such as {"kind": "correction"}'],
    [
      correction({ [firstName]: email }),
      'answer.patch: takes one or more of merchant, agentProfileId, agent, boardingSettingsId, boardingSettings, fees, ' +
        'application, and no other field, in the form of the input: {"merchant": {"FIELD": "VALUE"}}',
    ],
    [correction({ merchant: { [ssn]: email } }), 'answer.patch.merchant: a field in it is not a known field'],
    [correction({ agentProfileId: ssn }), 'answer.patch.agentProfileId: must be a number, without quotes'],
    [{ actor: '', reason }, 'actor: must name the person who answers'],
  ];
  for (const [mistake, expected] of cases) {
    const right = { requirementId, answer: { kind: 'retry' }, actor, reason };
    const { message, stackTrace, bytes } = await sent(rig, boarding, 'resolveRequirement', {
      ...right,
      ...mistake,
    });
    expect([message, stackTrace ?? '', found(bytes, marked)]).toEqual([expected, '', []]);
  }
  expect(found(await historyOf(boarding), marked)).toEqual([]);
  await boarding.handle.terminate();
});
