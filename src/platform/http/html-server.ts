import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'node:querystring';
import { gzipSync } from 'node:zlib';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { inPackage } from '../process/package.js';
import { refusesUnreadable } from './server.js';

/** Shared by the servers of pages for browsers: the console and the merchant's page. */

const FORM = 'application/x-www-form-urlencoded';

/** Longer than any workflow ID. */
const MAX_PARAM_LENGTH = 300;

/** The path to which requests with an unreadable path go. */
export const UNREADABLE = '/unreadable';

export interface PageOptions {
  readonly trustedProxies: readonly string[];
  /** Forms are short. Files come as multipart/form-data, which has its own limits. */
  readonly maxFormBytes: number;
  /** The messages for requests that never reach a page, by status. */
  readonly messages: Readonly<Record<number, string>>;
}

export function pageOptions(options: PageOptions): FastifyServerOptions {
  const { trustedProxies, maxFormBytes, messages } = options;
  return {
    bodyLimit: maxFormBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    clientErrorHandler: refusesUnreadable((status) => ({
      title: 'Unreadable',
      contentType: 'text/plain; charset=utf-8',
      body: `${messages[status]}\n`,
    })),
    // Only a request with a route gets a page's headers.
    rewriteUrl: ({ url = '/' }) => (isReadable(url) ? url : UNREADABLE),
  };
}

/** Reports whether the router can decode a path. Otherwise the router itself would respond, and quote the path. */
function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url);
    const [path = ''] = url.split('?');
    return path.split('/').every((part) => decodeURIComponent(part).length <= MAX_PARAM_LENGTH);
  } catch {
    return false;
  }
}

/**
 * Prepares a server for pages and their forms: no content from elsewhere, no inline scripts, no frames, and only bodies of forms.
 *
 * @param sources directives of the content security policy for what else the pages load from their own origin
 */
export async function preparePages(
  server: FastifyInstance,
  isSecure: boolean,
  sources: Readonly<Record<string, string[]>>,
): Promise<void> {
  endUnread(server);
  const self = ["'self'"];
  const directives = {
    defaultSrc: ["'none'"],
    styleSrc: self,
    ...sources,
    formAction: self,
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  };
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isSecure,
    crossOriginEmbedderPolicy: false,
  });
  await server.register(cookie);
  // Accept only forms: another site cannot send other content types without a CORS preflight.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORM, { parseAs: 'string' }, async (_: unknown, form: string) =>
    parse(form, '&', '=', { maxKeys: 0 }),
  );
  // Each route sets its own limits.
  await server.register(multipart);
}

const UNREAD = { bytes: 16 * 1024 * 1024, ms: 5_000, checkMs: 20 };

/**
 * A response may be ready before its request has arrived, such as the refusal of a large upload. Some browsers read the response
 * only after they have sent everything, so read and drop a little more, then close the connection.
 */
function endUnread(server: FastifyInstance): void {
  server.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return;
    const { socket } = raw;
    const [before, until] = [socket.bytesRead, Date.now() + UNREAD.ms];
    // Node drops what arrives now, so its events do not show how much there was.
    const timer = setInterval(() => {
      if (socket.bytesRead - before > UNREAD.bytes || Date.now() > until) socket.destroy();
      // The request may already be closed, in which case no event would end this.
      if (raw.complete || socket.destroyed) clearInterval(timer);
    }, UNREAD.checkMs);
    raw.unpipe().resume();
  });
}

/**
 * Reports whether another site's page sent this form. Old browsers do not send the first header, and our pages have no referrer, so
 * their origin is null. So a form also needs a token that only our pages know.
 *
 * @param hosts the hosts of our pages
 */
export function isFormOfOthers({ method, headers }: FastifyRequest, hosts: readonly string[]): boolean {
  const { 'sec-fetch-site': site = 'same-origin', origin = 'null' } = headers;
  const isHere = origin === 'null' || hosts.includes(URL.parse(origin)?.host ?? '');
  return method === 'POST' && !(isHere && ['same-origin', 'none'].includes(String(site)));
}

type Asset = ReturnType<typeof asset>;

/**
 * Returns a file that pages load. Its path changes with its content, so browsers may cache it.
 *
 * @param file default of its content: this file in dist/, where the build puts it
 */
export function asset(file: string, contentType: string, content = readFileSync(inPackage(`dist/${file}`))) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const path = `/assets/${hash}-${file.slice(file.lastIndexOf('/') + 1)}`;
  return { path, contentType, content, gzipped: gzipSync(content) };
}

/** @param more further headers of the responses */
export function serveAssets(server: FastifyInstance, assets: readonly Asset[], more = {}): void {
  for (const each of assets)
    server.get(each.path, ({ headers }, reply) =>
      sendAsset(reply.headers(more), each, headers['accept-encoding']),
    );
}

function sendAsset(reply: FastifyReply, { contentType, content, gzipped }: Asset, accepted = '') {
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted);
  if (isZipped) reply.header('content-encoding', 'gzip');
  return reply
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    .type(contentType)
    .send(isZipped ? gzipped : content);
}
