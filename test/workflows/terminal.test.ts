import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { customer, terminal } from '../rigs/inputs.js';
import { asShown } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { platformOf, type Write } from '../rigs/workflows/platform.js';

const rig = await sharedRig();
const platform = platformOf(rig);

const withTerminal = (scenarios = {}, more = {}) =>
  customer(scenarios, { provisionTerminal: terminal(), ...more });

describe.concurrent('a customer that asks for a terminal', () => {
  it('gets an account of its name, and the terminal in it', async () => {
    const input = withTerminal();
    const onboarding = await rig.onboard(input);
    const outcome = await onboarding.outcome();
    const { mid, paymentsAccountId, terminalId, terminal: part, ...state } = await onboarding.state();
    expect(outcome).toMatchObject({
      outcome: 'onboarded',
      boarding: { outcome: 'boarded', mid },
      business: { outcome: 'onboarded' },
      terminal: { outcome: 'provisioned', accountId: paymentsAccountId, terminalId },
    });
    const { accounts, terminals, writes } = await platform.of(mid);
    expect(accounts).toEqual([
      {
        id: paymentsAccountId,
        type: 'merchant',
        name: input.boarding.merchant.dba,
        description: `mid ${mid}`,
        address: { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' },
        status: 'active',
        created_at: expect.any(String),
      },
    ]);
    expect(terminals).toEqual([
      { id: terminalId, account_id: paymentsAccountId, name: 'Counter', status: 'active' },
    ]);
    expect(writes).toEqual([`create-account ${paymentsAccountId}`, `create-terminal ${terminalId}`]);

    const own = await onboarding.parts.terminal.state();
    expect(part).toEqual(asShown(own));
    expect(part).toMatchObject({
      stage: 'provisioned',
      outcome: 'provisioned',
      paymentsAccountId,
      terminalId,
    });
    expect(own.timeline.map(({ event, detail }) => [event, detail])).toEqual([
      ['started', undefined],
      ['payments-account-created', paymentsAccountId],
      ['terminal-created', terminalId],
      ['ended', 'provisioned'],
    ]);
    expect(state.timeline.at(-2)).toMatchObject({ event: 'terminal-ended', detail: 'provisioned' });
    const { typedSearchAttributes } = await onboarding.parts.terminal.handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.stage)).toBe('provisioned');
  });
});

describe.concurrent('an account and a terminal that are there already', () => {
  /** A customer with its terminal, and the same merchant once more. */
  async function twice(terminalName: string) {
    const input = withTerminal();
    const first = await rig.onboard(input);
    await first.outcome();
    const { merchantProfileId = 0, mid, paymentsAccountId } = await first.state();
    const again = () =>
      rig.onboard(
        {
          ...input,
          boarding: { ...input.boarding, merchantProfileId },
          provisionTerminal: terminal({ terminal: { name: terminalName } }),
        },
        { again: true },
      );
    return { mid, accountId: paymentsAccountId, again };
  }

  it('are the merchant’s, and are not made twice', async () => {
    const { mid, accountId, again } = await twice('Counter');
    const onboarding = await again();
    const { terminal: end } = await onboarding.outcome();
    const { terminals, writes } = await platform.of(mid);
    expect(end).toEqual({ outcome: 'provisioned', accountId, terminalId: terminals[0]?.id });
    expect(writes).toHaveLength(2);
    expect(await onboarding.parts.terminal.events()).toEqual([
      'started',
      'payments-account-adopted',
      'terminal-adopted',
      'ended',
    ]);
  });

  it('and of which there are several are for a person to choose from', async () => {
    const { mid, accountId, again } = await twice('Counter');
    const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
    const byHand = { type: 'merchant', name: 'By hand', description: `x, mid ${mid}`, address };
    const { id: other } = await platform.call<{ id: string }>('POST', '/v1/accounts', byHand);
    const onboarding = await again();
    const { id, title, detail, answers } = await onboarding.requirement('uncertain-write');
    expect(title).toBe('Several found: payments account');
    expect(detail).toBe(
      `The payments platform has 2 payments accounts whose description ends in "mid ${mid}": ${accountId}, ${other}. ` +
        'Adopt the correct one, or delete the others there and retry.',
    );
    expect(answers).toEqual(['adopt', 'retry', 'abandon']);
    await onboarding.resolve(id, { kind: 'retry' });
    const [asked] = await onboarding.asksAgain(id);
    await onboarding.resolve(asked?.id ?? '', { kind: 'adopt', id: other });
    const { terminal: end } = await onboarding.outcome();
    expect(end).toMatchObject({ outcome: 'provisioned', accountId: other });
    const { writes } = await platform.of(mid);
    expect(writes.filter((write) => write.startsWith('create-terminal'))).toHaveLength(2);
    expect(writes.filter((write) => write.startsWith('create-account '))).toHaveLength(1);
  });
});

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
