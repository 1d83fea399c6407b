import type { FieldProblem } from '../../partners/partner-error.js';
import { askForCorrection, carryOut } from '../journey/carry-out.js';
import { openFinancialAccount } from './activities.js';
import type { BusinessApplication } from './application.js';
import { read } from './holder.js';

interface Opened {
  readonly financialAccountId: string | null;
  readonly problems: readonly FieldProblem[];
}

/** Opens a financial account for an approved business, unless it has one. */
export async function openAccount(application: BusinessApplication): Promise<void> {
  const { journey, profileId } = application;
  const title = 'open the financial account';
  while (journey.state.financialAccountId === undefined) {
    journey.enter('opening');
    const { financialAccountId, problems } = await carryOut<Opened>(journey, {
      title,
      run: (access) => openFinancialAccount({ profileId, ...access }),
      once: {
        lookForEffect: async () => {
          const { financialAccountId } = await read(application);
          return financialAccountId === null ? undefined : { found: { financialAccountId, problems: [] } };
        },
        adopt: (id) => ({ financialAccountId: id ?? null, problems: [] }),
        idFormat: 'text',
        hint:
          `Look in the partner’s portal whether banking profile ${profileId} has a financial account. ` +
          'If it has, adopt its id; if not, retry.',
      },
    });
    if (financialAccountId === null) {
      await askForCorrection(journey, { title }, problems);
      continue;
    }
    journey.know({ financialAccountId });
    journey.timeline.add('financial-account-opened', { detail: financialAccountId });
  }
}
