import { describe, expect, it } from 'vitest';
import { listOnboardings } from '../../../src/temporal/search.js';
import { merchant } from '../../rigs/inputs.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await sharedRig();

/** The search attributes of a workflow in the visibility store, as plain values. */
async function attributes(workflowId: string): Promise<Record<string, unknown>> {
  for await (const { searchAttributes } of rig.client.workflow.list({
    query: `WorkflowId = '${workflowId}'`,
  })) {
    return Object.fromEntries(Object.entries(searchAttributes).map(([name, values]) => [name, values?.[0]]));
  }
  return {};
}

async function listedOnce(workflowId: string) {
  const [result] = await Array.fromAsync(listOnboardings(rig.client, `WorkflowId = '${workflowId}'`));
  if (!result) throw new Error(`${workflowId} is not listed`);
  return result;
}

describe('search attributes', () => {
  it('follow a boarding: stage, status, ids, and whether a person is needed', async () => {
    const boarding = await rig.board(merchant('uw-level-1'));
    const { id, dueAt } = await boarding.requirement('underwriting-note');
    const { merchantProfileId } = await boarding.state();
    const ask = () => attributes(boarding.workflowId);
    expect(
      await eventually(ask, ({ ActionRequired }) => ActionRequired === true, 'the attribute'),
    ).toMatchObject({
      OnboardingStage: 'underwriting',
      PartnerStatus: 'UW Level 1: Pending',
      MerchantProfileId: String(merchantProfileId),
      AgentProfileId: '101',
      ActionRequired: true,
      ActionDueAt: new Date(dueAt),
      Dba: 'Corner Bakery [uw-level-1]',
      Requirements: expect.stringMatching(new RegExp(`^underwriting-note ${id} \\S+ ${dueAt}$`)),
    });
    await boarding.resolve(id, { kind: 'text', text: 'Here.' });
    const outcome = await boarding.outcome();
    const ended = await eventually(ask, ({ OnboardingStage }) => OnboardingStage === 'boarded', 'the end');
    expect(ended).toMatchObject({ PartnerStatus: 'Approved', Mid: 'mid' in outcome && outcome.mid });
    expect(ended).toMatchObject({ ActionRequired: false });
    expect(ended['ActionDueAt']).toBeUndefined();
    expect(ended['Requirements']).toBeUndefined();
    const { stageSeconds } = await listedOnce(boarding.workflowId);
    expect(Object.keys(stageSeconds)).toEqual(['preparing', 'applying', 'underwriting', 'boarding']);
  });

  it('and the summary hold nothing personal', async () => {
    const boarding = await rig.board(merchant('declined'));
    await boarding.outcome();
    const seen = JSON.stringify(await attributes(boarding.workflowId));
    for (const name of ['Ada', 'Baker"']) expect(seen).not.toContain(name);
    const { staticSummary } = await boarding.handle.describe();
    expect(await staticSummary()).toBe('Corner Bakery [declined]');
  });
});

describe('the Web UI’s current details', () => {
  it('show Markdown and HTML in the texts of others as plain text', async () => {
    const boarding = await rig.board(merchant('waiting'));
    const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
    const note = '![x](https://example.com/x.png) <b>now</b>\n# at once';
    await rig.sandbox.transition(merchantProfileId, { notes: [note] });
    await boarding.requirement('underwriting-note');
    const { currentDetails } = await boarding.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain(
      String.raw`\!\[x\](https\://example.com/x.png) \<b\>now\</b\> \# at once`,
    );
    await boarding.handle.terminate();
  });
});
