import multipart from '@fastify/multipart';
import Fastify from 'fastify';
import { MAX_ATTACHMENT_BYTES } from '../partners/boarding/schemas.js';
import { operationName } from '../partners/catalogue.js';
import { boardingRoutes } from './boarding/routes.js';
import { BoardingService } from './boarding/service.js';
import { controlRoutes } from './control-routes.js';
import { Faults } from './faults.js';
import { Ledger } from './ledger.js';
import { DEFAULT_PACE, type Pace } from './pace.js';

export interface SandboxOptions {
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  readonly pace?: Pace;
  /** Point-of-sale names it knows beside `None` and `CustomPos`. */
  readonly posNames?: readonly string[];
}

export interface Sandbox {
  /** `http://127.0.0.1:4010`; the base URL of every partner in it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts all partner systems, emulated over real HTTP. State lives as long as the process. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, posNames = [] } = options;
  let pace = options.pace ?? DEFAULT_PACE;
  const ledger = new Ledger();
  const faults = new Faults();
  const boarding = new BoardingService(ledger, () => pace);

  const server = Fastify({ forceCloseConnections: true });
  await server.register(multipart, { limits: { fileSize: MAX_ATTACHMENT_BYTES } });
  boardingRoutes(server, boarding, faults, posNames);
  controlRoutes(server, {
    boarding,
    operations: Object.keys(boarding.handlers).map(operationName),
    faults,
    ledger,
    setPace: (wanted) => {
      pace = wanted;
    },
    refuse: (milliseconds) => refuseConnections(milliseconds),
  });
  const url = await server.listen({ host, port });
  let reopening: NodeJS.Timeout | undefined;

  /** Closes the listener for a while, so that connections are refused as by a partner that is down. */
  function refuseConnections(milliseconds: number): void {
    const samePort = Number(new URL(url).port);
    server.server.close();
    server.server.closeIdleConnections();
    clearTimeout(reopening);
    reopening = setTimeout(() => server.server.listen(samePort, host), milliseconds);
  }

  async function close(): Promise<void> {
    clearTimeout(reopening);
    await server.close();
  }

  return { url, close };
}
