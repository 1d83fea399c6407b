import { expect, it } from 'vitest';
import type { IdempotencyKey } from '../../../src/messages/requirements.js';
import { applyOnce, validateUnlessApplied } from '../../../src/workflows/runtime/idempotency.js';
import { cellOf } from './stores.js';

/** An update as the SDK runs it: the validator, which cannot wait, and then the handler. */
function keyed() {
  const { store } = cellOf();
  const applied: string[] = [];
  let wait: Promise<unknown> = Promise.resolve();
  const update = applyOnce(store, async (text: string) => {
    await wait;
    if (text === 'wrong') throw new Error('it does not fit');
    applied.push(text);
    return { text, resolution: `the whole ${text}` };
  });
  const validate = validateUnlessApplied(store, (text: string) => {
    if (text === 'refused') throw new Error('refused');
  });
  const send = async (text: string, key?: IdempotencyKey) => {
    validate(text, key);
    return update(text, key);
  };
  const hold = (until: Promise<unknown>) => {
    wait = until;
  };
  return { store, applied, send, hold };
}

const KEY = { id: 'k-1', body: 'b-1' };

it('an update with a known key is refused with its receipt, which lacks the answer', async () => {
  const { store, applied, send } = keyed();
  expect(await send('one', KEY)).toEqual({ text: 'one', resolution: 'the whole one' });
  await expect(send('one', KEY)).rejects.toMatchObject({
    type: 'AcceptedBefore',
    details: [{ text: 'one' }],
  });
  await expect(send('two', { ...KEY, body: 'b-2' })).rejects.toMatchObject({
    type: 'KeyReused',
    message: 'key: belongs to another request',
  });
  expect(applied).toEqual(['one']);
  expect(store.state.keys).toEqual([{ ...KEY, receipt: { text: 'one' } }]);
});

it('one without a key is applied each time', async () => {
  const { store, applied, send } = keyed();
  await send('one');
  await send('one');
  expect([applied, store.state.keys]).toEqual([['one', 'one'], []]);
});

// Alone catches that two requests under one key are both applied while the first is being checked.
it('one whose key is being applied is refused, with any body', async () => {
  const { applied, send, hold } = keyed();
  const held = Promise.withResolvers<void>();
  hold(held.promise);
  const first = send('one', KEY);
  await expect(send('two', { ...KEY, body: 'b-2' })).rejects.toMatchObject({ type: 'KeyReused' });
  await expect(send('one', KEY)).rejects.toThrow('key: this request is being applied; send it again later');
  held.resolve();
  await first;
  expect(applied).toEqual(['one']);
});

it('one that failed, or was refused, leaves its key free', async () => {
  const { store, applied, send } = keyed();
  await expect(send('wrong', KEY)).rejects.toThrow('it does not fit');
  await expect(send('refused', KEY)).rejects.toThrow('refused');
  expect(store.state.keys).toEqual([]);
  await send('right', KEY);
  expect(applied).toEqual(['right']);
});

// Alone catches a state that grows with each request.
it('the last 100 keys are known, and an older one counts as new', async () => {
  const { store, applied, send } = keyed();
  for (let number = 0; number <= 100; number += 1) await send(`${number}`, { id: `k-${number}` });
  expect(store.state.keys).toHaveLength(100);
  await expect(send('1', { id: 'k-1' })).rejects.toMatchObject({ type: 'AcceptedBefore' });
  await send('0', { id: 'k-0' });
  expect(applied.filter((text) => text === '0')).toHaveLength(2);
});
