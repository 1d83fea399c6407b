import { expect, it, vi } from 'vitest';
import { bakery } from '../../../examples/at-most-once/activities.js';
import { environment } from '../../rigs/activities/environment.js';

/** An attempt of the example's activity at a bakery that responds like this. */
async function order(response: () => Promise<Response>, info = {}) {
  const bakeryResponds = vi.spyOn(globalThis, 'fetch').mockImplementation(response);
  const outcome: unknown = await environment(info)
    .run(bakery.orderCake as never as (name: string) => Promise<string>, 'lemon')
    .catch((error: unknown) => error);
  const requests = bakeryResponds.mock.calls.length;
  bakeryResponds.mockRestore();
  return { outcome, requests };
}

it('the example orders one cake, and none after an attempt that may have', async () => {
  const cake = async () => new Response('7');
  expect(await order(cake)).toEqual({ outcome: '7', requests: 1 });
  const rejected = { outcome: { type: 'rejected', nonRetryable: true }, requests: 1 };
  expect(await order(async () => new Response('', { status: 422 }))).toMatchObject(rejected);
  const uncertain = { outcome: { type: 'uncertain', nonRetryable: true } };
  expect(await order(() => Promise.reject(new TypeError('reset')))).toMatchObject({
    ...uncertain,
    requests: 1,
  });
  const info = { attempt: 2, heartbeatDetails: { sending: true, sentAt: '2026-01-01T00:00:00.000Z' } };
  expect(await order(cake, info)).toMatchObject({ ...uncertain, requests: 0 });
});
