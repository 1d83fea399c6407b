import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { stored } from '../rigs/commands/files.js';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

describe.concurrent('canceling', () => {
  it('shows the workflow as canceled, after reporting what stays at the partner', async () => {
    const boarding = await rig.board(merchant('notes'));
    await boarding.requirement('underwriting-note');
    await boarding.handle.cancel();
    const error = await boarding.outcome().catch((failed: unknown) => failed);
    expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    expect((await boarding.handle.describe()).status.name).toBe('CANCELLED');
    const { stage, requirements, timeline, merchantProfileId } = await boarding.state();
    expect({ stage, requirements }).toEqual({ stage: 'cancelled', requirements: [] });
    expect(timeline.at(-1)).toMatchObject({
      event: 'cancelled',
      detail: `merchant ${merchantProfileId} stays at the partner, last seen as Pending`,
    });
  });

  it('sees a write through that has begun', async () => {
    const input = merchant();
    const held = await rig.sandbox.hold('create-merchant', input.externalId);
    const boarding = await rig.board(input);
    await held.underWay();
    await boarding.handle.cancel();
    await boarding.cancellationSeen();
    await held.letGo();
    await expect(boarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    const [created] = await rig.sandbox.ledger({ guid: input.externalId });
    const { merchantProfileId, timeline } = await boarding.state();
    expect(merchantProfileId).toBe(created?.id);
    expect(timeline.at(-1)?.detail).toBe(
      `merchant ${created?.id} stays at the partner, last seen as not submitted; create the merchant: was in flight, and succeeded`,
    );
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant']);
  });

  it('begins no other write after the one that it sees through', async () => {
    const document = await stored(rig);
    const input = merchant('uw-level-1');
    const boarding = await rig.board(input);
    const { id } = await boarding.requirement('underwriting-note');
    const { merchantProfileId } = await boarding.state();
    const held = await rig.sandbox.hold('upload-attachment', `${merchantProfileId}`);
    await boarding.resolve(id, { kind: 'documents', documents: [document] });
    await held.underWay();
    await boarding.handle.cancel();
    await boarding.cancellationSeen();
    await held.letGo();
    await expect(boarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect((await rig.sandbox.writes(input.externalId)).slice(2)).toEqual(['upload-attachment']);
  });

  it('reports a write whose outcome is unknown', async () => {
    const input = merchant();
    await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: input.externalId });
    const boarding = await rig.board(input);
    await boarding.requirement('uncertain-write');
    await boarding.handle.cancel();
    await expect(boarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    const { timeline } = await boarding.state();
    expect(timeline.map(({ event }) => event)).toContain('write-uncertain');
    expect(timeline.at(-1)?.detail).toBe(
      'no merchant is known at the partner; create the merchant: whether it took effect is unknown',
    );
  });
});
