import { describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
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
