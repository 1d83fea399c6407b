import { expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { eventually } from '../../rigs/waiting.js';
import { accountOf, allRefused, asked, soon, withAccounts } from '../../rigs/workflows/partner-account.js';

const version = { deploymentName: 'gangway', buildId: '2026-11-21' };

/** Makes the build the current one, as soon as the server knows it. */
// What no simulation shows: the server dispatches checks to a process that is not part of a deployment version.
it('a versioned worker tries its own credentials, and once it has ended, its question closes', async () => {
  await withAccounts(async (rig) => {
    const setCurrent = () =>
      rig.client.workflowService
        .setWorkerDeploymentCurrentVersion({
          ...{ namespace: rig.client.options.namespace, ...version, identity: 'test' },
        })
        .then(
          () => true,
          () => false,
        );
    const wrong = await rig.startWorker({ password: 'wrong', version });
    await eventually(setCurrent, Boolean, 'the current version');
    const boardings = [await rig.board(merchant()), await rig.board(merchant())];
    const account = accountOf(rig, 'boarding');
    const { id, detail } = await asked(account, 'credentials');
    console.log(detail);
    await allRefused(boardings);
    await account.resolve(id, { kind: 'retry' });
    const again = await account.asksAgain(id);
    expect(again).toHaveLength(1);
    await wrong.stop();
    await rig.startWorker({ version });
    const t = Date.now();
    await soon(boardings);
    console.log('ms', Date.now() - t);
    await account.outcome();
    const { timeline } = await account.state();
    console.log(timeline);
  });
});
