import { expect, it } from 'vitest';
import { UnreadableOnboarding } from '../../../../src/temporal/unreadable.js';
import { consoleOfCalls, type GivenWorkflow } from '../../../rigs/console/console-of-calls.js';

const ID = 'merchant-boarding-m-1';

// Alone catches a document of a merchant that is there, and that a clerk reads as missing.
it('documents of proposed answers are not called missing while no worker responds', async () => {
  const away: GivenWorkflow = {
    get state(): never {
      throw new UnreadableOnboarding(ID, 'no-worker', 'no worker is running');
    },
  };
  const { open } = await consoleOfCalls({ workflows: { [ID]: away } });
  const why = 'Documents of proposed answers cannot be read now, because no worker responds.';
  const list = await open({ role: 'operator' }, `/onboardings/${ID}/documents`);
  expect([list.status, list.text]).toEqual([200, expect.stringContaining(why)]);
  expect(list.text).not.toContain('Nobody has sent a document.');
  const one = await open({ role: 'operator' }, `/onboardings/${ID}/documents/${crypto.randomUUID()}.jpg`);
  expect([one.status, one.text]).toEqual([503, expect.stringContaining(why)]);
});
