import { resolveRequirement } from '../../../src/messages/requirements.js';
import { stateOf } from '../../../src/temporal/onboardings.js';
import type { Party } from './cast.js';
import { workersOf } from './operator.js';
import type { Stage } from './stage.js';

/**
 * Resolves the uncertain submissions of franchises, as a person does who compares the legal name. The dba alone does not
 * distinguish them.
 *
 * @returns how many questions were answered
 */
export async function answerForFranchises(stage: Stage, cast: readonly Party[]): Promise<number> {
  const { client } = stage.rig;
  const ledger = await stage.ledger();
  let count = 0;
  for (const party of cast.filter(({ twin }) => twin)) {
    const made = ledger.find(({ name, of }) => name === party.businessName && of === party.legalName);
    for (const workflowId of workersOf(party)) {
      const state = await stateOf(client, workflowId).catch(() => undefined);
      const asked = state?.requirements.filter(
        ({ kind, title }) =>
          kind === 'uncertain-write' && title.endsWith('submit the business account holder'),
      );
      for (const { id: requirementId } of asked ?? []) {
        const answer = made ? { kind: 'adopt' as const, id: String(made.id) } : { kind: 'retry' as const };
        const resolution = { requirementId, answer, actor: 'chaos', reason: 'by the legal name' };
        await client.workflow.getHandle(workflowId).executeUpdate(resolveRequirement, { args: [resolution] });
        count += 1;
      }
    }
  }
  return count;
}
