import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { customer, terminal } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { platformOf, type Write } from '../rigs/workflows/platform.js';

const rig = await sharedRig();
const platform = platformOf(rig);

const { meeting } = platform;

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
    const part = platform.partOf(onboarding);
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
    const { currentDetails } = await onboarding.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('- **Business** onboarded, Approved\n- **Terminal** provisioning');

    const receipt = await onboarding.resolve(requirement.id, correction({ account: { parent_id: null } }));
    expect(receipt).toEqual({ requirementId: requirement.id, acceptedAt: expect.any(String), open: 0 });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const { mid } = await onboarding.state();
    expect((await platform.of(mid)).writes).toHaveLength(2);
  });

  it('takes a correction of nothing but what is the terminal’s, and leaves no history of another', async () => {
    const onboarding = await refusedAccount();
    const { id } = await onboarding.requirement('rejected-input');
    const patch = { merchant: { dba: 'x' } };
    const error = await onboarding.resolve(id, { kind: 'correction', patch }).catch((failed) => failed);
    expect(error).toBeInstanceOf(WorkflowUpdateFailedError);
    expect(error.cause.message).toContain(
      'answer.patch: takes one or more of provisionTerminal, and no other field',
    );
    const { events } = await onboarding.handle.fetchHistory();
    expect(events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual([]);
    await onboarding.handle.terminate();
  });

  it('is not corrected by removing everything, which costs no call', async () => {
    const onboarding = await refusedAccount();
    const { id } = await onboarding.requirement('rejected-input');
    const { mid } = await onboarding.state();
    await expect(onboarding.resolve(id, correction(null))).rejects.toMatchObject({
      cause: { message: 'answer.patch.provisionTerminal: is required' },
    });
    const unnamed = onboarding.resolve(id, correction({ terminal: { name: '' } }));
    await expect(unnamed).rejects.toMatchObject({
      cause: { message: expect.stringContaining('provisionTerminal.terminal.name: must not be empty') },
    });
    expect((await platform.of(mid)).writes).toEqual([]);
    await onboarding.resolve(id, correction({ account: { parent_id: null } }));
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });

  it('can be given up, and the customer is partly onboarded', async () => {
    const onboarding = await refusedAccount();
    const { id } = await onboarding.requirement('rejected-input');
    await onboarding.resolve(id, { kind: 'abandon' }, 'olga', 'no terminal wanted');
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'boarded' },
      business: { outcome: 'onboarded' },
      terminal: { outcome: 'abandoned', comment: 'no terminal wanted' },
    });
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

  it('can be given up: the outcome names the account', async () => {
    const onboarding = await refusedTerminal();
    const { id } = await onboarding.requirement('rejected-input');
    const { paymentsAccountId: accountId } = await onboarding.state();
    await onboarding.resolve(id, { kind: 'abandon' });
    const { terminal: end, outcome } = await onboarding.outcome();
    expect(end).toEqual({ outcome: 'abandoned', comment: 'because', accountId });
    expect(outcome).toBe('partly-onboarded');
  });
});

it.concurrent('a platform that refuses the API key once is tried again, and nobody is asked', async () => {
  const onboarding = await meeting('expired-token', 'create-terminal');
  expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  expect(await onboarding.events()).not.toContain('requirement-raised');
});

it.concurrent('a requirement that waits too long is marked as overdue, where it came from', async () => {
  const onboarding = await asking({
    account: { ...terminal().account, parent_id: 'account-9' },
    dueInHours: 1 / 7_200,
  });
  const { id } = await onboarding.requirement('rejected-input');
  const overdue = ({ timeline }: Awaited<ReturnType<typeof onboarding.state>>) =>
    timeline.some(({ event, detail }) => event === 'requirement-overdue' && detail?.startsWith(id));
  await platform.partOf(onboarding).until(overdue, 'the overdue mark');
  expect((await onboarding.state()).terminal?.requirements).toHaveLength(1);
  await onboarding.handle.terminate();
});

describe.concurrent('cancelling a customer whose terminal is under way', () => {
  /** Cancels a customer whose write at the platform has begun. @returns the part of its terminal, and all there is by then */
  async function cancelledDuring(operation: Write) {
    const { onboarding, held } = await platform.holding(operation);
    await held.underWay();
    await onboarding.handle.cancel();
    await platform.partOf(onboarding).cancellationSeen();
    await held.letGo();
    await expect(onboarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect((await onboarding.handle.describe()).status.name).toBe('CANCELLED');
    const state = await onboarding.state();
    const { writes } = await platform.of(state.mid);
    return { ...state, writes, part: platform.partOf(onboarding) };
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

  it('finishes the creation of a terminal that has begun, and reports what stays', async () => {
    const { part, writes, paymentsAccountId, terminalId, timeline } =
      await cancelledDuring('create-terminal');
    // It was the last step, so the part is done, and only its customer is cancelled.
    expect(await part.outcome()).toEqual({
      outcome: 'provisioned',
      accountId: paymentsAccountId,
      terminalId,
      unfinished: [{ write: 'create the terminal', became: 'done' }],
    });
    expect(writes).toEqual([`create-account ${paymentsAccountId}`, `create-terminal ${terminalId}`]);
    expect(timeline.at(-1)?.detail).toMatch(
      new RegExp(
        `, payments account ${paymentsAccountId} and terminal ${terminalId} are known at the partners$`,
      ),
    );
  });

  it('closes its open requirements', async () => {
    const onboarding = await refusedAccount();
    await onboarding.requirement('rejected-input');
    await onboarding.handle.cancel();
    await expect(onboarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    const { requirements, terminal: part, stage } = await onboarding.state();
    expect([stage, requirements, part?.requirements]).toEqual(['cancelled', [], []]);
    const { timeline } = await platform.partOf(onboarding).state();
    expect(timeline.at(-1)?.detail).toBe('no payments account is known');
  });

  it('reports a write whose outcome is unknown', async () => {
    const onboarding = await meeting('drop-before-commit', 'create-terminal');
    await onboarding.requirement('uncertain-write');
    await onboarding.handle.cancel();
    await expect(onboarding.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    const { timeline } = await platform.partOf(onboarding).state();
    expect(timeline.at(-1)?.detail).toContain('create the terminal: whether it took effect is unknown');
  });
});

it.concurrent.each(['cancel', 'terminate'] as const)(
  'a terminal that is stopped by itself (%s) leaves the rest',
  async (stop) => {
    const onboarding = await refusedAccount();
    await onboarding.requirement('rejected-input');
    await platform.partOf(onboarding).handle[stop]();
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'partly-onboarded',
      boarding: { outcome: 'boarded' },
      business: { outcome: 'onboarded' },
      terminal: { outcome: 'cancelled' },
    });
  },
);
