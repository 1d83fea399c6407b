import { expect, it } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { eventually } from '../../rigs/waiting.js';
import { accountOf, allRefused, asked, soon, withAccounts } from '../../rigs/workflows/partner-account.js';

const version = { deploymentName: 'gangway', buildId: '2026-11-21' };

// The task queue of a process has no deployment version. Only a server shows whether it dispatches the checks.
it('a worker with a build ID tries its credentials when a person says so, and once it has ended, nobody is asked', async () => {
  await withAccounts(async (rig) => {
    const { client } = rig;
    const wrong = await rig.startWorker({ password: 'wrong', version });
    const request = { namespace: client.options.namespace, ...version, identity: 'test' };
    const isCurrent = () =>
      client.workflowService.setWorkerDeploymentCurrentVersion(request).then(
        () => true,
        () => false,
      );
    await eventually(isCurrent, Boolean, 'the current version');
    const boardings = [await rig.board(merchant()), await rig.board(merchant())];
    const account = accountOf(rig, 'boarding');
    const { id } = await asked(account, 'credentials');
    await allRefused(boardings);
    await account.resolve(id, { kind: 'retry' });
    expect(await account.asksAgain(id)).toHaveLength(1);
    await wrong.stop();
    await rig.startWorker({ version });
    const outcomes = await soon(boardings);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['boarded', 'boarded']);
    expect(await account.outcome()).toEqual({ outcome: 'done' });
  });
});
