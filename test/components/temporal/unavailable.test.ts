import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { credentials, type ServiceError, Client as Wire } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { isUnavailable } from '../../../src/temporal/unavailable.js';
import { listening } from '../../rigs/listening.js';

/** Calls a server that does this with the call. `cancel` cancels it from this side. */
async function failureOf(
  respond: (stream: ServerHttp2Stream, cancel: () => void) => void,
): Promise<ServiceError> {
  const server = createServer();
  server.on('session', (session) => session.on('error', () => undefined));
  const wire = new Wire(await listening(server), credentials.createInsecure());
  onTestFinished(() => wire.close());
  const same = (bytes: Buffer) => bytes;
  return new Promise((failed, ended) => {
    const call = wire.makeUnaryRequest('/a/b', same, same, Buffer.alloc(0), (error) =>
      error ? failed(error) : ended(new Error('the call succeeded')),
    );
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      respond(stream, () => call.cancel());
    });
  });
}

it.each([
  ['resets the stream, which is how Node 26 reports a cut connection', constants.NGHTTP2_CANCEL],
  ['refuses the stream', constants.NGHTTP2_REFUSED_STREAM],
])('Temporal is unavailable when it %s', async (_, code) => {
  expect(isUnavailable(await failureOf((stream) => stream.close(code)))).toBe(true);
});

it('Temporal is unavailable when it dies during a call', async () => {
  expect(isUnavailable(await failureOf((stream) => stream.session?.destroy()))).toBe(true);
});

it('Temporal is not unavailable when this side cancels the call', async () => {
  expect(isUnavailable(await failureOf((_stream, cancel) => cancel()))).toBe(false);
});
