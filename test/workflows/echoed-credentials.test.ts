import { expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

it('our credentials are in no requirement, though the partner writes them into its comment', async () => {
  const boarding = await rig.board(merchant('waiting'));
  const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
  // What the worker sends: user name and password of the sandbox.
  const basic = Buffer.from('sandbox:sandbox').toString('base64');
  const comment = `The volume is wrong. You sent Authorization: Basic ${basic}.`;
  await rig.sandbox.transition(merchantProfileId, { status: 'RequestChanges', comment });
  const { detail } = await boarding.requirement('request-changes');
  expect(detail).toBe('The volume is wrong. You sent Authorization: Basic [Redacted].');
  expect(JSON.stringify(await boarding.state())).not.toContain(basic);
  await boarding.handle.terminate();
});
