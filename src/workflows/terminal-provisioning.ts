import type { TerminalProvisioningInput } from '../messages/inputs.js';
import type { TerminalProvisioningOutcome } from '../messages/onboardings.js';
import { createAccount, createTerminal, findAccounts, findTerminals } from './terminal/activities.js';
import { findOrCreate } from './terminal/find-or-create.js';
import { Provisioning } from './terminal/provisioning.js';

/**
 * Gives a merchant that is boarded an account and a terminal at the payments platform (apis/3), or takes those that it has.
 * Started by its customer as `terminal-provisioning-<externalId>`.
 */
export async function terminalProvisioning(
  input: TerminalProvisioningInput,
): Promise<TerminalProvisioningOutcome> {
  const provisioning = new Provisioning(input);
  const { journey } = provisioning;

  return journey.liveThrough<TerminalProvisioningOutcome>(
    async () => {
      journey.enter('provisioning');
      const accountId = await provideAccount(provisioning);
      journey.know({ paymentsAccountId: accountId });
      journey.publish();
      const terminalId = await provideTerminal(provisioning, accountId);
      journey.know({ terminalId });
      return { outcome: 'provisioned', accountId, terminalId };
    },
    (comment) => ({ outcome: 'abandoned', comment, ...provisioning.knownAccount }),
  );
}

function provideAccount(provisioning: Provisioning): Promise<string> {
  const { mid } = provisioning;
  return findOrCreate(provisioning, {
    name: 'payments account',
    sign: `whose description ends in "mid ${mid}"`,
    find: () => findAccounts({ mid }),
    create: async () => (await createAccount({ mid, ...provisioning.asked })).accountId,
  });
}

function provideTerminal(provisioning: Provisioning, accountId: string): Promise<string> {
  return findOrCreate(provisioning, {
    name: 'terminal',
    sign: `named as in the input, in account ${accountId}`,
    find: async () => {
      const { terminalName: name } = provisioning;
      // A search for no name would find them all.
      return name === '' ? [] : findTerminals({ accountId, name });
    },
    create: async () => (await createTerminal({ accountId, ...provisioning.asked })).terminalId,
  });
}
