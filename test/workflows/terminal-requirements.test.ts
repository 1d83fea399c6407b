import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { customer, terminal } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { platformOf, type Write } from '../rigs/workflows/platform.js';

const rig = await sharedRig();
const platform = platformOf(rig);

const asking = (more: Parameters<typeof terminal>[0] = {}) =>
  rig.onboard(customer({}, { provisionTerminal: terminal(more) }));

/** The sandbox has no such account. */
const refusedAccount = () => asking({ account: { ...terminal().account, parent_id: 'account-9' } });

const correction = (provisionTerminal: object | null) =>
  ({ kind: 'correction', patch: { provisionTerminal } }) as const;

describe.concurrent('an account that the platform rejects', () => {
  it('is corrected on the customer, and made once', async () => {
    const onboarding = await refusedAccount();
    const requirement = await onboarding.requirement('rejected-input');
    const part = onboarding.parts.terminal;
    expect(requirement).toEqual({
      id: 'terminal-rejected-input-1',
      kind: 'rejected-input',
      title: 'Rejected: create the payments account',
      detail: 'provisionTerminal.account.parent_id: is unknown',
      raisedAt: expect.any(String),
      dueAt: expect.any(String),
      answers: ['correction', 'retry', 'abandon'],
      fields: ['provisionTerminal.account.parent_id'],
      blank: { provisionTerminal: { account: { parent_id: '' } } },
    });
    expect((await part.state()).requirements).toEqual([requirement]);
    for (const { handle } of [onboarding, part]) {
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.actionRequired)).toBe(true);
      expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.actionDueAt)).toEqual(new Date(requirement.dueAt));
    }
    expect(await onboarding.currentDetails()).toContain(
      '- **Business** onboarded, Approved\n- **Terminal** provisioning',
    );

    const receipt = await onboarding.resolve(requirement.id, correction({ account: { parent_id: null } }));
    expect(receipt).toEqual({ requirementId: requirement.id, acceptedAt: expect.any(String), open: 0 });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { mid } = await onboarding.state();
    expect((await platform.of(mid)).writes).toHaveLength(2);
  });
});

describe.concurrent('a terminal that the platform rejects', () => {
  /** The sandbox has no such location. */
  const refusedTerminal = () => asking({ terminal: { name: 'Counter', location_id: 'location-9' } });

  it('is corrected, and its account is not created again', async () => {
    const onboarding = await refusedTerminal();
    const { id, detail } = await onboarding.requirement('rejected-input');
    expect(detail).toBe('provisionTerminal.terminal.location_id: is unknown');
    const { paymentsAccountId } = await onboarding.state();
    expect(paymentsAccountId).toBeDefined();
    await onboarding.resolve(id, correction({ terminal: { location_id: null } }));
    const { terminal: end } = await onboarding.outcome();
    expect(end).toMatchObject({ outcome: 'provisioned', accountId: paymentsAccountId });
    const { mid } = await onboarding.state();
    expect((await platform.of(mid)).writes).toHaveLength(2);
  });
});

describe.concurrent('cancelling a customer whose terminal is under way', () => {
  /** Cancels a customer whose write at the platform has begun. @returns the part of its terminal, and all there is by then */
  async function cancelledDuring(operation: Write) {
    const { onboarding, held } = await platform.holding(operation);
    await held.underWay();
    await onboarding.handle.cancel();
    await onboarding.parts.terminal.cancellationSeen();
    await held.letGo();
    await expect(onboarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect((await onboarding.handle.describe()).status.name).toBe('CANCELLED');
    const state = await onboarding.state();
    const { writes } = await platform.of(state.mid);
    return { ...state, writes, part: onboarding.parts.terminal };
  }

  it('finishes the creation of an account that has begun, and reports what stays', async () => {
    const { part, writes, paymentsAccountId, timeline, mid } = await cancelledDuring('create-account');
    expect((await part.handle.describe()).status.name).toBe('CANCELLED');
    expect(mid).toBeDefined();
    expect(writes).toEqual([`create-account ${paymentsAccountId}`]);
    expect((await part.state()).timeline.at(-1)).toMatchObject({
      event: 'cancelled',
      detail:
        `payments account ${paymentsAccountId} stays at the payments platform, without a terminal; ` +
        'create the payments account: was in flight, and succeeded',
    });
    expect(timeline.at(-1)).toMatchObject({ event: 'cancelled' });
    expect(timeline.at(-1)?.detail).toMatch(
      new RegExp(`^merchant \\d+, banking profile \\d+ and payments account ${paymentsAccountId} are known`),
    );
  });
});
