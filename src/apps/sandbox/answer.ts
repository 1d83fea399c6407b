import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { writeExactly } from '../../partners/json.js';

export interface Answer {
  /** HTTP status; 0 cuts the connection. */
  readonly status: number;
  /** MIME type. Default: JSON. */
  readonly contentType?: string;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to delay the response once it is ready. */
  readonly delayMs?: number;
  /** How the response breaks the rules of HTTP/1.1. */
  readonly wire?: Wire;
}

export type Wire = 'endless' | 'too-long' | 'too-short' | 'http-1.0' | 'closes';

/** Sends a response over HTTP, even one that HTTP does not allow. */
export async function sendResponse(reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  const { status, contentType, body, headers = {}, delayMs, wire } = answer;
  if (delayMs !== undefined) await sleep(delayMs, undefined, { ref: false });
  if (status === 0) {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }
  if (wire !== undefined) {
    reply.hijack();
    const { socket } = reply.raw;
    socket?.end(written(wire, answer));
    return reply;
  }
  reply.headers(headers);
  if (contentType !== undefined) reply.type(contentType);
  return reply.code(status).send(body);
}

function written(wire: Wire, { status, contentType = 'application/json', body }: Answer): Buffer {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : writeExactly(body));
  const length = (count: number) => `content-length: ${count}`;
  const [version, header] = {
    endless: ['1.1', 'transfer-encoding: chunked'],
    'too-long': ['1.1', length(bytes.length + 100)],
    'too-short': ['1.1', length(Math.floor(bytes.length / 2))],
    'http-1.0': ['1.0', 'connection: close'],
    closes: ['1.1', length(bytes.length)],
  }[wire];
  const head = `HTTP/${version} ${status} OK\r\ncontent-type: ${contentType}\r\n${header}\r\n\r\n`;
  const chunk = wire === 'endless' ? `${bytes.length.toString(16)}\r\n` : '';
  return Buffer.concat([Buffer.from(head + chunk), bytes, Buffer.from(chunk && '\r\n')]);
}
