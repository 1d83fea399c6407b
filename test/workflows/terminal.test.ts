import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { startOnce } from '../../src/temporal/start.js';
import { customer, terminal } from '../rigs/inputs.js';
import { asShown } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { platformOf } from '../rigs/workflows/platform.js';

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

    const own = await platform.partOf(onboarding).state();
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
    const { typedSearchAttributes } = await platform.partOf(onboarding).handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTES.stage)).toBe('provisioned');
  });

  it('has nothing of the platform’s response but ids in its history', async () => {
    const onboarding = await rig.onboard(withTerminal());
    await onboarding.outcome();
    const part = platform.partOf(onboarding).handle;
    const { events } = await part.fetchHistory();
    const converter = rig.client.options.loadedDataConverter;
    const results = (events ?? []).flatMap(
      (event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? [],
    );
    const decoded = await Promise.all(
      results.map(async (payload) => {
        const [plain = payload] = (await converter.payloadCodecs[0]?.decode([payload])) ?? [];
        return converter.payloadConverter.fromPayload(plain);
      }),
    );
    const { paymentsAccountId, terminalId } = await onboarding.state();
    expect(decoded).toEqual([{ created: paymentsAccountId }, { created: terminalId }]);
  });

  it('gets it when its business has ended as well', async () => {
    const onboarding = await rig.onboard(withTerminal({ business: 'waiting' }));
    const { mid, profileId = 0 } = await onboarding.until(
      ({ boarding, business }) => boarding?.stage === 'boarded' && business?.partnerStatus === 'Submitted',
    );
    const before = await platform.of(mid);
    expect(before.accounts).toEqual([]);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await onboarding.outcome()).toMatchObject({ terminal: { outcome: 'provisioned' } });
  });

  it.each(['continue', 'cancel-other'] as const)(
    'gets it although its business is declined (%s), because it belongs to the merchant',
    async (onDecline) => {
      const onboarding = await rig.onboard(withTerminal({ business: 'waiting' }, { onDecline }));
      const { profileId = 0 } = await onboarding.until(
        ({ boarding, business }) => boarding?.stage === 'boarded' && business?.partnerStatus === 'Submitted',
      );
      await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Denied' });
      expect(await onboarding.outcome()).toMatchObject({
        outcome: 'partly-onboarded',
        boarding: { outcome: 'boarded' },
        business: { outcome: 'declined' },
        terminal: { outcome: 'provisioned' },
      });
    },
  );

  it.each([
    ['declined', { business: {} }, 'partly-onboarded'],
    ['declined', { business: { business: 'denied' } }, 'declined'],
  ])('gets none when its merchant is %s (business: %j)', async (boarding, { business }, outcome) => {
    const input = withTerminal({ boarding, ...business });
    const onboarding = await rig.onboard(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome, terminal: { outcome: 'not-started' } });
    expect((await onboarding.state()).terminal).toBeUndefined();
    await expect(platform.partOf(onboarding).handle.describe()).rejects.toThrow(WorkflowNotFoundError);
    expect(await platform.accountsWith(input.boarding.merchant.dba)).toEqual([]);
  });
});

describe.concurrent('a customer that asks for none', () => {
  it('has no third part', async () => {
    const input = customer();
    const onboarding = await rig.onboard(input);
    expect(Object.keys(await onboarding.outcome()).sort()).toEqual(['boarding', 'business', 'outcome']);
    await expect(platform.partOf(onboarding).handle.describe()).rejects.toThrow(WorkflowNotFoundError);
    expect(await platform.accountsWith(input.boarding.merchant.dba)).toEqual([]);
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
    expect(await platform.partOf(onboarding).events()).toEqual([
      'started',
      'payments-account-adopted',
      'terminal-adopted',
      'ended',
    ]);
  });

  it('leave room for a terminal of another name', async () => {
    const { mid, accountId, again } = await twice('Bar');
    expect((await (await again()).outcome()).terminal).toMatchObject({ outcome: 'provisioned', accountId });
    const { terminals } = await platform.of(mid);
    expect(terminals.map(({ name }) => name)).toEqual(['Counter', 'Bar']);
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
    const asked = await onboarding.until(({ requirements: [open] }) => open !== undefined && open.id !== id);
    await onboarding.resolve(asked.requirements[0]?.id ?? '', { kind: 'adopt', id: other });
    const { terminal: end } = await onboarding.outcome();
    expect(end).toMatchObject({ outcome: 'provisioned', accountId: other });
    const { writes } = await platform.of(mid);
    expect(writes.filter((write) => write.startsWith('create-terminal'))).toHaveLength(2);
    expect(writes.filter((write) => write.startsWith('create-account '))).toHaveLength(1);
  });
});

describe.concurrent('a customer once more', () => {
  it('has a merchant of its own, so an account and a terminal of its own', async () => {
    const input = withTerminal();
    const first = await rig.onboard(input);
    await first.outcome();
    const { mid } = await first.state();
    const second = await rig.onboard(input, { again: true });
    await second.outcome();
    const { mid: other } = await second.state();
    expect(other).not.toBe(mid);
    for (const each of [mid, other]) expect((await platform.of(each)).writes).toHaveLength(2);
  });
});

describe.concurrent('a terminal that was provided before by itself', () => {
  it('counts as the customer’s', async () => {
    const input = withTerminal();
    const { externalId } = input;
    const address = terminal().account.address;
    const provisionTerminal = { ...terminal(), account: { name: 'By hand', address } };
    const args = [{ externalId, mid: '4711', provisionTerminal }];
    const start = { type: 'terminalProvisioning', key: externalId, args, summary: 'By hand' } as const;
    await startOnce(rig.client, start, { taskQueue: rig.taskQueue });
    const onboarding = await rig.onboard(input);
    const { terminal: end } = await onboarding.outcome();
    const { accounts, terminals } = await platform.of('4711');
    expect(end).toEqual({ outcome: 'provisioned', accountId: accounts[0]?.id, terminalId: terminals[0]?.id });
    const { mid, timeline, terminalId } = await onboarding.state();
    expect(terminalId).toBe(terminals[0]?.id);
    expect((await platform.of(mid)).accounts).toEqual([]);
    expect(timeline.map(({ event }) => event)).toContain('terminal-attached');
  });
});
