import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import { MAX_ATTACHMENT_BYTES } from '../partners/boarding/schemas.js';
import { pendingEvents } from '../partners/http.js';
import { parseExactly, writeExactly } from '../partners/json.js';
import { openApiDocument } from '../partners/openapi/document.js';
import { catalogue, eachSystem, PARTNERS, SYSTEM_NAMES, type SystemName } from '../partners/systems.js';
import { TOKEN_LIFETIME_MS } from './banking/users.js';
import { controlRoutes } from './control-routes.js';
import { Faults } from './faults.js';
import { Ledger } from './ledger.js';
import type { World } from './partner.js';
import { DEFAULT_PACE, type Pace } from './scenario.js';
import { EMULATED } from './systems.js';

export interface SandboxOptions {
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  readonly pace?: Pace;
  /** Point-of-sale names that it accepts beside `None` and `CustomPos`. */
  readonly posNames?: readonly string[];
  /** How long a banking token lives. Default: ten minutes, as documented. */
  readonly tokenLifetimeMs?: number;
  /** The password of every user of every partner, and the key where a partner has keys. Default: each one's name. */
  readonly password?: string;
  /** The partners' clock, in `Date` headers and in every time of the banking system. Default: `Date.now`. */
  readonly now?: () => number;
}

export interface Sandbox {
  /** `http://127.0.0.1:4010`; the base URL of every partner in it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts all partner systems, emulated over real HTTP. State lives as long as the process. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, posNames = [] } = options;
  const { tokenLifetimeMs = TOKEN_LIFETIME_MS, now = Date.now, password } = options;
  let pace = options.pace ?? DEFAULT_PACE;
  const ledger = new Ledger();
  const faults = new Faults();
  const world: World = {
    ...{ ledger, faults, now, tokenLifetimeMs, password, posNames },
    pace: () => pace,
    merchants: { idsNamed: () => [], latestLike: (id) => id },
  };
  const partners = SYSTEM_NAMES.map((system) => EMULATED[system].start(world));

  const server = Fastify({ forceCloseConnections: true });
  await server.register(multipart, { limits: { fileSize: MAX_ATTACHMENT_BYTES } });
  speakExactJson(server);
  server.addHook('onSend', async (_, reply) => void reply.header('date', new Date(now()).toUTCString()));
  for (const partner of partners) {
    partner.routes(server);
    partner.controls?.(server);
  }
  openApiRoutes(server, posNames);
  controlRoutes(server, {
    faults,
    ledger,
    setPace: (wanted) => {
      pace = wanted;
    },
    refuse: (milliseconds) => refuseConnections(milliseconds),
  });
  const url = await server.listen({ host, port });
  let reopening: NodeJS.Timeout | undefined;

  /**
   * Closes the listener for a while, so that connections are refused as by a partner that is down. Connections that wait by
   * now are accepted first, because a request on them would be lost without a trace in the log of requests.
   */
  async function refuseConnections(milliseconds: number): Promise<void> {
    const samePort = Number(new URL(url).port);
    await pendingEvents();
    if (!server.server.listening) return;
    server.server.close();
    server.server.closeIdleConnections();
    reopening = setTimeout(() => server.server.listen(samePort, host), milliseconds);
  }

  async function close(): Promise<void> {
    clearTimeout(reopening);
    faults.clear();
    for (const partner of partners) partner.close?.();
    await server.close();
  }

  return { url, close };
}

/**
 * Whole numbers keep their digits, in requests and in responses. A call without a body may have the content type of JSON, as E15 must.
 */
function speakExactJson(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
    try {
      done(null, body === '' ? undefined : parseExactly(String(body)));
    } catch {
      done(Object.assign(new Error('Body is not valid JSON'), { statusCode: 400 }));
    }
  });
  server.setReplySerializer(writeExactly);
}

/** `GET /openapi` names the OpenAPI documents of the partner systems, `GET /openapi/<system>.json` returns each of them. */
function openApiRoutes(server: FastifyInstance, posNames: readonly string[]): void {
  server.get('/openapi', () => eachSystem(address));
  for (const system of SYSTEM_NAMES) {
    // Made on request, because most runs of the sandbox never need it.
    server.get(address(system), () => openApiDocument(PARTNERS[system], catalogue({ posNames })[system]));
  }
}

function address(system: SystemName): string {
  return `/openapi/${system}.json`;
}
