import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect } from 'node:tls';
import { isGrpcServiceError, isRetryableError, ServiceError } from '@temporalio/client';
import type { TLSConfig } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** gRPC's INVALID_ARGUMENT, DEADLINE_EXCEEDED and UNIMPLEMENTED. */
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const UNIMPLEMENTED = 12;

/** Whether Temporal did not answer, or was too busy to: the same may be asked again later. */
export function isUnavailable(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && (isRetryableError(cause) || cause.code === DEADLINE_EXCEEDED);
}

/**
 * Why Temporal does not take what was asked, when that is about this workflow and no other.
 *
 * @returns undefined when it would take no workflow at all, or when the error is another one
 */
export function refusalOf(error: unknown): string | undefined {
  const cause = causeOf(error);
  if (!isGrpcServiceError(cause) || cause.code !== INVALID_ARGUMENT) return undefined;
  return /search attribute/i.test(cause.details) ? undefined : cause.details;
}

/** Whether the server cannot search by what a query names. */
export function isUnsupportedQuery(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT;
}

/** Whether the server does not know what it was asked for, or has it switched off. */
export function isUnimplemented(error: unknown): boolean {
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && cause.code === UNIMPLEMENTED;
}

function causeOf(error: unknown): unknown {
  return error instanceof ServiceError ? error.cause : error;
}

/** Of the settings of a connection, what a refusal may be about. */
export interface Credentials {
  readonly address: string;
  readonly apiKey?: string | undefined;
  readonly tls?: TLSConfig | boolean | null | undefined;
}

/** gRPC's PERMISSION_DENIED and UNAUTHENTICATED. */
const DENIED: readonly number[] = [7, 16];

/** The same, as the worker's native part says it. */
const DENIED_IN_WORDS = /does not have (valid authentication credentials|permission)/;

/** How long the server has to say something by TLS, or to hang up. */
const TLS_TIMEOUT_MS = 5_000;

/**
 * Why Temporal does not let us in, in words for people, when it is the API key or a certificate. The SDK tells of a
 * handshake that failed only that there was no connection in time, so the handshake is made once more.
 */
export async function whyUnavailable(
  credentials: Credentials,
  error: unknown,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (isDenied(error)) {
    return credentials.apiKey === undefined
      ? 'it lets nobody in without TEMPORAL_API_KEY'
      : 'it does not accept TEMPORAL_API_KEY';
  }
  const { tls } = credentials;
  if (!tls) return undefined;
  const certificates = tls === true ? {} : tls;
  const expiry = expiryOf(certificates);
  if (expiry !== undefined) return `TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate expired on ${expiry}`;
  return handshake(credentials.address, certificates, signal);
}

/** Whether Temporal is there and turns us away. */
export function isDenied(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(cause)) return DENIED.includes(cause.code);
  return error instanceof Error && DENIED_IN_WORDS.test(error.message);
}

function expiryOf({ clientCertPair }: TLSConfig): string | undefined {
  if (!clientCertPair) return undefined;
  const { validTo } = new X509Certificate(clientCertPair.crt);
  return Date.parse(validTo) < Date.now() ? validTo : undefined;
}

async function handshake(
  address: string,
  tls: TLSConfig,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { clientCertPair: pair, serverRootCACertificate: ca, serverNameOverride } = tls;
  // Temporal Cloud goes by the name that is asked for; an address is none.
  const name = serverNameOverride ?? (isIP(host) ? undefined : host);
  const socket = connect({
    host,
    port: Number(port || 7233),
    ...(name !== undefined && { servername: name }),
    ALPNProtocols: ['h2'],
    ...(ca && { ca: Buffer.from(ca) }),
    ...(pair && { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
  });
  if (signal) addAbortSignal(signal, socket);
  let met = false;
  socket.once('secureConnect', () => {
    met = true;
  });
  socket.setTimeout(TLS_TIMEOUT_MS, () => socket.destroy());
  try {
    // A server that is content with us greets us by HTTP/2; one that is not hangs up, after a handshake that looked well.
    await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => Promise.reject(new Error()))]);
    return undefined;
  } catch (error) {
    return inWords((error as NodeJS.ErrnoException).code ?? '', met, pair !== undefined);
  } finally {
    socket.destroy();
  }
}

function inWords(code: string, met: boolean, hasCertificate: boolean): string | undefined {
  if (met || code.includes('_ALERT_')) {
    return hasCertificate
      ? 'it does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH'
      : 'it hangs up on who shows no certificate (TEMPORAL_TLS_CLIENT_CERT_PATH)';
  }
  if (/CERT|SIGNATURE|ISSUER|CHAIN/.test(code)) {
    return `its certificate is not trusted: ${code} (TEMPORAL_TLS_SERVER_CA_CERT_PATH)`;
  }
  if (/SSL|EPROTO/.test(code)) return 'it does not speak TLS';
  return undefined;
}
