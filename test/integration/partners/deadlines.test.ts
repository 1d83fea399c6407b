import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { type HttpLimits, PartnerHttp, type TransportError } from '../../../src/partners/http.js';
import { type Respond, recordingServer } from '../../rigs/partners/servers.js';

const READ = { method: 'GET', path: '/', headers: {}, ownConnection: false } as const;

async function partner(respond: Respond, limits: Partial<HttpLimits> = {}): Promise<PartnerHttp> {
  const { url } = await recordingServer(respond);
  const http = new PartnerHttp(url, limits);
  onTestFinished(() => http.close());
  return http;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Sends a part of a response and never the rest; calls `then` once the part is sent. */
const dripping =
  (then = () => {}): Respond =>
  (response) =>
    void response.writeHead(200).write('{', then);

it.each([undefined, new AbortController().signal])(
  'a call ends at its deadline, also after a garbage collection (signal: %o)',
  async (signal) => {
    const http = await partner(dripping(collectGarbage), { totalTimeoutMs: 400 });
    const call = http.send({ ...READ, ...(signal && { signal }) }).catch((error: TransportError) => error);
    expect(await call).toMatchObject({ code: 'TimeoutError', sent: true });
  },
);

it('a call ends at once when its caller gives up', async () => {
  const caller = new AbortController();
  const http = await partner(dripping(() => caller.abort()));
  const call = http.send({ ...READ, signal: caller.signal }).catch((error: TransportError) => error);
  expect(await call).toMatchObject({ code: 'AbortError', sent: true });
});
