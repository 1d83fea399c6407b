import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bankingClient } from '../../src/partners/banking/client.js';
import { startSandbox } from '../../src/sandbox/server.js';
import type { Bench } from '../bench.js';
import { type Line, line } from '../line.js';

/** An hour with tokens that live ten minutes, 600 times as fast: six seconds, and tokens that live one second. */
export async function* tokens(bench: Bench): AsyncGenerator<Line> {
  const [operations, seconds] = [bench.size(1_000, 100), 6];
  const sandbox = await startSandbox({ tokenLifetimeMs: 1_000 });
  bench.atEnd(() => sandbox.close());
  const counted = await countTokenCalls(bench, sandbox.url);
  const client = bankingClient({
    ...{ url: counted.url, username: 'sandbox', password: 'sandbox' },
    ...{ deviceToken: 'd-1', deviceName: 'bench', form: 'user' },
  });
  bench.atEnd(() => client.close());
  const calls: Promise<unknown>[] = [];
  for (let call = 0; call < operations; call++) {
    calls.push(client.listDepartments({}));
    await sleep((seconds * 1_000) / operations);
  }
  await Promise.all(calls);
  const what = `token calls for ${operations} operations in an hour`;
  yield line({ what, figure: counted.calls(), unit: 'calls' });
}

/** Forwards every request, and counts requests for tokens. */
async function countTokenCalls(bench: Bench, target: string): Promise<{ url: string; calls: () => number }> {
  const { hostname, port } = new URL(target);
  let calls = 0;
  const counter = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    if (path?.startsWith('/api/auth/')) calls += 1;
    const onward = forward({ hostname, port, method, path, headers }, (received) => {
      outgoing.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => counter.listen(0, '127.0.0.1', listening));
  bench.atEnd(() => new Promise((closed) => counter.close(closed)));
  return { url: `http://127.0.0.1:${(counter.address() as AddressInfo).port}`, calls: () => calls };
}
