import { createServer, type ServerHttp2Stream } from 'node:http2';
import proto from '@temporalio/proto';
import { testEnds, type Until } from '../shared.js';
import { forwarding, refuse } from './guarded-server.js';

const { GetSystemInfoResponse } = proto.temporal.api.workflowservice.v1;

/** gRPC's UNIMPLEMENTED. */
const UNIMPLEMENTED = '12';

/**
 * The development server as an older version: it reports that version, and does not have these operations. No registry offers a
 * development server that is older than the oldest supported one.
 *
 * @returns its address
 */
export async function startOldServer(
  upstream: string,
  serverVersion: string,
  missing: readonly string[],
  until: Until = testEnds,
): Promise<string> {
  const { port, close } = await forwarding(createServer(), upstream, (stream, headers) => {
    const operation = headers[':path']?.split('/').at(-1) ?? '';
    if (operation === 'GetSystemInfo')
      respond(stream, GetSystemInfoResponse.encode({ serverVersion }).finish());
    else if (missing.includes(operation)) refuse(stream, UNIMPLEMENTED, `unknown method ${operation}`);
    else return false;
    return true;
  });
  until(close);
  return `127.0.0.1:${port}`;
}

/** A message in a frame of gRPC: a byte for no compression, four for the length. */
function respond(stream: ServerHttp2Stream, message: Uint8Array): void {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([head, message]));
}
