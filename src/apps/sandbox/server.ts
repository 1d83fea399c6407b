import { once } from 'node:events';
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import { z } from 'zod';
import { readWordings, wordingSettings } from '../../partners/account-settings.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { operationName } from '../../partners/catalogue.js';
import {
  catalogue,
  eachSystem,
  PARTNERS,
  SYSTEM_NAMES,
  type SystemName,
} from '../../partners/descriptors.js';
import { pendingEvents } from '../../partners/http.js';
import { writeExactly } from '../../partners/json.js';
import { openApiDocument } from '../../partners/openapi/document.js';
import { BadSetting, listenAddress, readSettings } from '../../platform/settings/settings.js';
import { sendResponse } from './answer.js';
import { TOKEN_LIFETIME_MS } from './banking/users.js';
import { FAULTS } from './fault-kinds.js';
import { Faults, faultPlan } from './faults.js';
import { ActiveHabits, HABITS, habitsWanted } from './habits/habits.js';
import { Ledger } from './ledger.js';
import { invalidControl, readExactJson, type World } from './routes.js';
import { DEFAULT_PACE, type Pace, paceSetting } from './scenario.js';
import { EMULATED } from './systems.js';

/** Words that a request has in its URL or JSON body, all of them. */
interface RequestQuery {
  Querystring: { operation?: string; about?: string | string[] };
}

/** `/sandbox/...`: the controls and records for tests and demos, besides the partners' own APIs. */
function controlRoutes(
  server: FastifyInstance,
  { faults, habits, ledger }: World,
  setPace: (pace: Pace) => void,
  refuse: (milliseconds: number) => void,
): void {
  const operations = Object.values(catalogue()).flatMap((all) => Object.keys(all).map(operationName));
  const plans = faultPlan(SYSTEM_NAMES, operations);

  server.get('/sandbox/scenarios', () => ({
    usage:
      'let the dba, doingBusinessAsName or name of a terminal end in the name in brackets, as in "Corner Bakery [notes]"',
    ...Object.assign({}, ...Object.values(EMULATED).map(({ scenarios }) => scenarios)),
    faults: FAULTS,
    habits: Object.fromEntries(Object.entries(HABITS).map(([name, { does }]) => [name, does])),
  }));

  server.get('/sandbox/ledger', ({ query }) => ledger.entries(query as Record<string, string>));

  server.get<RequestQuery>('/sandbox/requests', ({ query: { operation, about = [] } }) =>
    faults.requests.about(operation, [about].flat()),
  );

  server.post('/sandbox/faults', ({ body }, reply) => {
    const plan = plans.safeParse(body);
    if (!plan.success) return invalidControl(reply, plan.error);
    // The response goes out first, because the listener is about to close.
    if (plan.data.fault === 'refuse') reply.raw.once('finish', () => refuse(plan.data.milliseconds));
    else faults.plan(plan.data);
    return reply.code(201).send(plan.data);
  });

  server.get('/sandbox/faults', () => faults.report);

  server.delete<{ Querystring: { about?: string } }>('/sandbox/faults', ({ query }) => {
    const { report } = faults;
    faults.clear(query.about);
    return report;
  });

  server.get('/sandbox/habits', () => ({
    active: habits.names,
    habits: Object.fromEntries(
      Object.entries(HABITS).map(([name, { does, seen }]) => [name, { does, seen }]),
    ),
  }));

  server.post('/sandbox/habits', ({ body }, reply) => {
    const wanted = habitsWanted.safeParse(body);
    if (!wanted.success) return invalidControl(reply, wanted.error);
    habits.set(wanted.data.habits);
    return reply.code(201).send(wanted.data);
  });

  server.put('/sandbox/pace', ({ body }, reply) => {
    const wanted = z.strictObject({ pace: paceSetting }).safeParse(body);
    if (!wanted.success) return invalidControl(reply, wanted.error);
    setPace(wanted.data.pace);
    return wanted.data;
  });
}

export interface SandboxOptions {
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  readonly pace?: Pace;
  /** Point-of-sale names that it accepts besides `None` and `CustomPos`. */
  readonly posNames?: readonly string[];
  /** The lifetime of a banking token. Default: ten minutes, as documented. */
  readonly tokenLifetimeMs?: number;
  /** The password of every user of every partner, or its key if it uses keys. Default: the user's name. */
  readonly password?: string;
  /** The partners' clock, in `Date` headers and in every time of the banking system. Default: `Date.now`. */
  readonly now?: () => number;
  /** The fault of a call that none is planned for. Default: none. */
  readonly faultOf?: World['faultOf'];
  /** Sends a response that is ready. Default: over HTTP. */
  readonly send?: World['send'];
}

export const sandboxSettings = z.object({
  SANDBOX_ADDRESS: listenAddress.prefault('127.0.0.1:4010').describe('Where the sandbox listens.'),
  SANDBOX_PACE: paceSetting
    .prefault('1s')
    .describe('Time, or number of status reads, between two steps of the underwriters.'),
  ...wordingSettings.shape,
});

/** @throws {BadSetting} that names the first invalid setting */
export function loadSandboxSettings(environment: NodeJS.ProcessEnv): SandboxOptions {
  const set = readSettings(sandboxSettings, environment);
  const { posNames } = readWordings(environment);
  return {
    ...set.SANDBOX_ADDRESS,
    pace: set.SANDBOX_PACE,
    posNames,
  };
}

export interface Sandbox {
  /** `http://127.0.0.1:4010`; the base URL of every partner in it. */
  readonly url: string;
  close(): Promise<void>;
}

export type Emulation = Awaited<ReturnType<typeof emulatePartners>>;

/**
 * All partner systems, emulated, before they listen anywhere. State lives as long as the server.
 *
 * @param refuse closes the listener for so many milliseconds
 */
export async function emulatePartners(
  options: SandboxOptions = {},
  refuse: (milliseconds: number) => void = () => {},
) {
  const { posNames = [], send = sendResponse, faultOf = () => undefined } = options;
  const { tokenLifetimeMs = TOKEN_LIFETIME_MS, now = Date.now, password } = options;
  let pace = options.pace ?? DEFAULT_PACE;
  const ledger = new Ledger();
  const faults = new Faults();
  const habits = new ActiveHabits({ now });
  const world: World = {
    ledger,
    faults,
    faultOf,
    habits,
    send,
    now,
    tokenLifetimeMs,
    password,
    posNames,
    pace: () => pace,
    merchants: { idsNamed: () => [], latestLike: (id) => id },
  };
  const server = Fastify({ forceCloseConnections: true });
  await server.register(multipart, { limits: { fileSize: MAX_ATTACHMENT_BYTES } });
  speakExactJson(server);
  server.addHook('onSend', async (_, reply) => {
    if (!reply.hasHeader('date')) reply.header('date', new Date(now()).toUTCString());
  });
  for (const system of SYSTEM_NAMES) EMULATED[system].start(server, world);
  openApiRoutes(server, posNames);
  const setPace = (wanted: Pace) => {
    pace = wanted;
  };
  controlRoutes(server, world, setPace, refuse);
  server.addHook('preClose', async () => faults.clear());
  return { server, ledger };
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0 } = options;
  const { server } = await emulatePartners(options, (milliseconds) => void refuseConnections(milliseconds));
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
    await server.close();
  }

  return { url, close };
}

/**
 * Runs the sandbox until the signal, and prints where it is.
 *
 * @throws {BadSetting} if it cannot listen at its address
 */
export async function serveSandbox(
  options: SandboxOptions,
  signal: AbortSignal,
  print: (line: string) => unknown,
): Promise<void> {
  const { url, close } = await startSandbox(options).catch((error: unknown) => {
    throw new BadSetting('SANDBOX_ADDRESS', error instanceof Error ? error.message : 'cannot be used');
  });
  print(`sandbox is ready at ${url}; scenarios: ${url}/sandbox/scenarios`);
  if (!signal.aborted) await once(signal, 'abort');
  await close();
}

/** Whole numbers keep their digits in responses as well. */
function speakExactJson(server: FastifyInstance): void {
  readExactJson(server, Object.assign(new Error('Body is not valid JSON'), { statusCode: 400 }));
  server.setReplySerializer(writeExactly);
}

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
