import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { type HttpLimits, PartnerHttp, type TransportError } from '../../../src/partners/http.js';
import { answering, type Respond, recordingServer } from '../../rigs/partners/servers.js';

const READ = { method: 'GET', path: '/', headers: {}, write: false } as const;

async function partner(respond: Respond, limits: Partial<HttpLimits> = {}): Promise<PartnerHttp> {
  const { url } = await recordingServer(respond);
  const http = new PartnerHttp(url, limits);
  onTestFinished(() => http.close());
  return http;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** How many signals there are, once the garbage is gone. */
async function signals(): Promise<number> {
  for (let time = 0; time < 3; time++) {
    collectGarbage();
    await sleep(20);
  }
  return queryObjects(AbortSignal, { format: 'count' });
}

/** Part of an answer, and never the rest. */
const dripping: Respond = (response) => void response.writeHead(200).write('{');

it.each([undefined, new AbortController().signal])(
  'a call ends with its time also when the garbage was collected meanwhile (signal: %o)',
  async (signal) => {
    const http = await partner(dripping, { totalTimeoutMs: 400 });
    const call = http.send({ ...READ, ...(signal && { signal }) }).catch((error: TransportError) => error);
    await sleep(100);
    collectGarbage();
    expect(await call).toMatchObject({ code: 'TimeoutError', sent: true });
  },
);

it('a call that its caller gives up ends at once', async () => {
  const http = await partner(dripping);
  const caller = new AbortController();
  setTimeout(() => caller.abort(), 100);
  const call = http.send({ ...READ, signal: caller.signal }).catch((error: TransportError) => error);
  expect(await call).toMatchObject({ code: 'AbortError', sent: true });
});

it('nothing of a call is kept when it is over', async () => {
  const http = await partner(answering(200, '{}'));
  const { signal } = new AbortController();
  const calls = async () => {
    for (let call = 0; call < 50; call++) await http.send({ ...READ, signal });
    const { chunks } = (await http.download({ ...READ, signal })) as { chunks: AsyncIterable<Buffer> };
    for await (const _ of chunks);
    await sleep(50);
  };
  await calls();
  const before = await signals();
  await calls();
  expect(await signals()).toBeLessThanOrEqual(before + 5);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
