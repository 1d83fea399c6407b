import { getEventListeners } from 'node:events';
import { queryObjects } from 'node:v8';
import { expect, it, onTestFinished } from 'vitest';
import { PartnerHttp } from '../../../src/partners/http.js';
import { recordingServer, responding } from '../../rigs/partners/servers.js';

const READ = { method: 'GET', path: '/', headers: {}, ownConnection: false } as const;

/** How many signals this process has, which no other test shares. It collects the garbage first. */
const signals = (): number => queryObjects(AbortSignal, { format: 'count' });

it('nothing of a call is kept when it is over', async () => {
  const { url } = await recordingServer(responding(200, '{}'));
  const http = new PartnerHttp(url);
  onTestFinished(() => http.close());
  const { signal } = new AbortController();
  const calls = async (count: number) => {
    for (let call = 0; call < count; call++) await http.send({ ...READ, signal });
    const { chunks } = (await http.download({ ...READ, signal })) as { chunks: AsyncIterable<Buffer> };
    for await (const _ of chunks);
  };
  await calls(20);
  const before = signals();
  await calls(100);
  // What the latest call leaves to the next turns of the event loop is not kept.
  await expect.poll(signals).toBeLessThan(before + 50);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
