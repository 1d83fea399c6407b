import { RejectedByPartner, runStep } from '../journey/carry-out.js';
import { openFinancialAccount } from './activities.js';
import type { BusinessApplication } from './application.js';
import { read } from './holder.js';

/** Opens a financial account for an approved business, unless it has one by then. */
export async function openAccount(application: BusinessApplication): Promise<void> {
  const { journey, profileId } = application;
  const financialAccountId = await runStep<string>(journey, {
    title: 'open the financial account',
    run: async () => {
      const opened = await openFinancialAccount({ profileId });
      if (opened.financialAccountId === null) throw new RejectedByPartner(opened.problems);
      return opened.financialAccountId;
    },
    once: {
      lookForEffect: async () => {
        const { financialAccountId } = await read(application);
        return financialAccountId === null ? undefined : { found: financialAccountId };
      },
      effectSeen: () => {
        const { financialAccountId: found } = journey.state;
        return found === undefined ? undefined : { found };
      },
      adopt: (id) => id,
      idFormat: 'text',
      hint:
        `Look in the partner’s portal whether banking profile ${profileId} has a financial account. ` +
        'If it has, adopt its id; if not, retry.',
    },
  });
  application.knowAccount(financialAccountId);
}
