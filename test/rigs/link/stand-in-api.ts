import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { testEnds, type Until } from '../shared.js';

export const NAME = 'L-0123456789abcdef';
export const TOKEN = 'tOkEn_0123456789-abcdefghijklmnopqrstuvwxyz';
export const API_TOKEN = 'api-token-of-the-page-0123456789abcdef';
export const LINK = `/a/${NAME}/${TOKEN}`;
export const CODE = '314159';

export type Json = Record<string, unknown>;

/** What the API says about a link that asks for a text. */
export const ASKED = {
  state: 'open',
  language: 'en',
  dba: 'Corner Bakery',
  text: 'How do you take orders?',
  wants: { kind: 'text' },
  expiresAt: '2026-12-07T21:05:09.000Z',
  documents: [],
  revision: 0,
  began: false,
} as const;

export const DOCUMENTS = { kind: 'documents', names: ['voided check'] };
export const FIELDS = {
  kind: 'fields',
  fields: [
    { name: 'city', label: 'City' },
    { name: 'zip', label: 'ZIP code' },
  ],
};

export interface Call {
  readonly action: string;
  readonly authorization: string | undefined;
  readonly body: Json;
}

/** Responds instead of the stand-in, before it reads the body of an upload. */
type Instead = (
  action: string,
) => { status: number; body?: Json; headers?: Record<string, string>; hangUp?: true } | undefined;

export interface StandIn {
  readonly url: string;
  /** What `read` says. The other calls change it. */
  link: Json;
  instead: Instead;
  readonly calls: Call[];
  /** The actions that were called, besides `read`. */
  changes(): string[];
  close(): Promise<void>;
}

/** The routes of the HTTP API for links over one link in memory, as its contract describes them. */
export async function standInApi(link: Json = ASKED, until: Until = testEnds): Promise<StandIn> {
  const server = Fastify({ forceCloseConnections: true });
  await server.register(multipart);
  const calls: Call[] = [];
  const refuse = (reply: FastifyReply, status: number, more: Json = {}) =>
    reply
      .code(status)
      .type('application/problem+json')
      .send({ title: '<raw>', status, ...more });
  const state: StandIn = {
    url: '',
    link: { ...link },
    instead: () => undefined,
    calls,
    changes: () => calls.map(({ action }) => action).filter((action) => action !== 'read'),
    close: () => server.close(),
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { name, action = '' } = request.params as Record<string, string>;
    const body = (request.body ?? {}) as Json;
    calls.push({ action, authorization: request.headers.authorization, body });
    const other = state.instead(action);
    if (other?.hangUp) return request.raw.destroy();
    if (other)
      return reply
        .code(other.status)
        .headers(other.headers ?? {})
        .send(other.body ?? {});
    const token = action === 'documents' ? request.headers['link-token'] : body['token'];
    if (request.headers.authorization !== `Bearer ${API_TOKEN}`) return refuse(reply, 401);
    if (name !== NAME || token !== TOKEN) return refuse(reply, 404);
    const { link: current } = state;
    if (action === 'read') return reply.send(current);
    if (action === 'begin') current['began'] = true;
    if (action === 'enter') {
      if (body['code'] !== CODE) {
        current['attemptsLeft'] = Number(current['attemptsLeft']) - 1;
        return reply.send({ state: 'code', attemptsLeft: current['attemptsLeft'] });
      }
      state.link = { ...ASKED };
      return reply.send({ state: 'open' });
    }
    if (action === 'propose') {
      const answer = body['answer'] as Json;
      Object.assign(current, { state: 'received', answer: { ...answer, remark: body['remark'] } });
      return reply.send({ revision: 1 });
    }
    if (action === 'documents') {
      const { raw } = request;
      raw.once(
        'close',
        () => raw.complete || calls.push({ action: 'broken off', authorization: undefined, body }),
      );
      const part = await request.file({ limits: { fileSize: 11 * 1024 * 1024 } });
      const bytes = await part?.toBuffer();
      const id = (current['documents'] as Json[]).length + 1;
      const document = { id, fileName: part?.filename, at: new Date().toISOString() };
      calls.push({ action: 'stored', authorization: undefined, body: { ...document, size: bytes?.length } });
      current['documents'] = [...(current['documents'] as Json[]), document];
      return reply.code(201).send(document);
    }
    return reply.send({});
  };
  server.post('/v1/links/:name/:action', handle);
  until(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  return Object.assign(state, { url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}` });
}
