import { expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';

/** The sandbox has the habits of services whose create says less than it seems. */
const rig = await sharedRig();

it('a merchant that is Pending right after its create is submitted, and boarded', async () => {
  const input = merchant('pending-first');
  const boarding = await rig.board(input);
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  expect(await rig.sandbox.writes(input.externalId)).toContain('submit-merchant');
});

it('a merchant whose create was refused and saved is adopted, and boarded once', async () => {
  const input = merchant('refused-but-saved');
  const boarding = await rig.board(input);
  const { id, detail } = await boarding.requirement('rejected-input');
  const [, merchantProfileId = ''] = /names (\d+)/.exec(detail) ?? [];
  expect(detail).toContain('The application was saved, but the email could not be verified.');
  await boarding.resolve(id, { kind: 'adopt', id: merchantProfileId });
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  const writes = await rig.sandbox.writes(input.externalId);
  expect(writes.filter((write) => write === 'create-merchant')).toHaveLength(1);
});

it('a second boarding with the email of a first one is asked about, and writes nothing', async () => {
  const email = 'twin@example.com';
  const twin = (amount: number) => {
    const input = merchant('same-email', { fees: { minimumDiscountAmount: amount } });
    return { ...input, merchant: { ...input.merchant, email } };
  };
  const first = await rig.board(twin(20));
  const outcome = await first.outcome();
  expect(outcome).toMatchObject({ outcome: 'boarded' });
  const second = await rig.board(twin(90));
  expect((await second.requirement('rejected-input')).detail).toContain(`${first.workflowId} has it`);
  const { fees } = await rig.sandbox.merchant((outcome as { merchantProfileId: number }).merchantProfileId);
  expect(fees).toMatchObject({ minimumDiscountAmount: 20 });
  await second.handle.terminate();
});
