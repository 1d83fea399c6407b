import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect } from 'node:tls';
import { type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import {
  type Client,
  isGrpcServiceError,
  isRetryableError,
  NamespaceNotFoundError,
  ServiceError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { TLSConfig } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { isUnreadablePayload, MisplacedPayload } from './payload-codec.js';

function grpcErrorOf(error: unknown): GrpcError | undefined {
  // An error of a worker's connection can be both a ServiceError and a gRPC error.
  const cause = error instanceof ServiceError && !isGrpcServiceError(error) ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}

function hasStatus(error: unknown, ...codes: readonly status[]): boolean {
  const cause = grpcErrorOf(error);
  return cause !== undefined && codes.includes(cause.code);
}

/** The server ended the stream or, in Node 26, the connection broke. Our own cancellations have a different text. */
const ENDED_BY_SERVER = 'Call cancelled';

/** Reports whether Temporal was unreachable or too busy, so the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const cause = grpcErrorOf(error);
  if (cause === undefined) return false;
  const { code, details } = cause;
  const isEndedByServer = code === status.CANCELLED && details === ENDED_BY_SERVER;
  return isRetryableError(cause) || code === status.DEADLINE_EXCEEDED || isEndedByServer;
}

/** Reports whether Temporal rejected our credentials. */
export function isDenied(error: unknown): boolean {
  if (hasStatus(error, status.PERMISSION_DENIED, status.UNAUTHENTICATED)) return true;
  // The SDK's native core reports this only in the message.
  return error instanceof Error && /does not have (valid authentication cred|permission)/.test(error.message);
}

/** Reports whether the server does not have the called operation, or has it disabled. */
export function isUnimplemented(error: unknown): boolean {
  return hasStatus(error, status.UNIMPLEMENTED);
}

/** Reports whether the workflow, run, history, activity or deployment of a request does not exist, or no longer exists. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || hasStatus(error, status.NOT_FOUND);
}

/** Reports whether the server rejects a start because a workflow with this ID is running, or has run. */
export function isAlreadyStarted(error: unknown): boolean {
  return hasStatus(error, status.ALREADY_EXISTS);
}

/** Returns the result of a request; undefined if its target does not exist (any more). */
export function undefinedIfMissing<Result>(request: Promise<Result>): Promise<Result | undefined> {
  return request.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Reports whether the server rejects the request as invalid, such as a query by an unknown search attribute. */
export function isInvalidRequest(error: unknown): boolean {
  return hasStatus(error, status.INVALID_ARGUMENT);
}

/** Returns the server's reason for rejecting a request as invalid; undefined for any other error. */
export function rejectedBecause(error: unknown): string | undefined {
  return isInvalidRequest(error) ? grpcErrorOf(error)?.details : undefined;
}

const NAMES_SEARCH_ATTRIBUTE = /search attribute/i;

/**
 * Explains why Temporal rejects the start of one workflow.
 *
 * @returns undefined if Temporal would reject every start, for example without the search attributes, or if the error has another
 *   cause
 */
export function rejectionOf(error: unknown): string | undefined {
  const details = rejectedBecause(error);
  return details === undefined || NAMES_SEARCH_ATTRIBUTE.test(details) ? undefined : details;
}

export function callPromptly<Result>(client: Client, call: () => Promise<Result>): Promise<Result> {
  return client.connection.withDeadline(Date.now() + 10_000, call);
}

/** A problem with Temporal or a workflow that people can solve. The message is for them, on one line. */
export class TemporalProblem extends Error {
  /** True if the same request may succeed later, when Temporal or a worker responds again. */
  get isUnavailable(): boolean {
    return false;
  }
}

/** A problem that lasts until Temporal or a worker responds again. */
export class TransientError extends TemporalProblem {
  override get isUnavailable(): boolean {
    return true;
  }
}

/** The beginning of the gRPC error for a response that is not gRPC, for example from a proxy. */
const NOT_GRPC = 'Received HTTP status code';

/**
 * Describes an error to people: what happened, and the setting or command that helps.
 *
 * @returns undefined for a bug, whose message may contain private values
 */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof TemporalProblem) return error.message;
  if (error instanceof MisplacedPayload) return error.message;
  if (isUnreadablePayload(error)) return `${error.message} (PAYLOAD_KEYS)`;
  if (error instanceof NamespaceNotFoundError) return `${error.message} (TEMPORAL_NAMESPACE)`;
  const details = grpcErrorOf(error)?.details ?? (error instanceof ServiceError ? error.message : undefined);
  if (details === undefined) return undefined;
  if (details.startsWith(NOT_GRPC)) return `the server at TEMPORAL_ADDRESS is not Temporal: ${details}`;
  const advice = NAMES_SEARCH_ATTRIBUTE.test(details) ? '; run "gangway setup" first' : '';
  return `Temporal: ${details}${advice}`;
}

export interface Credentials {
  readonly address: string;
  readonly apiKey?: string | undefined;
  readonly tls?: TLSConfig | boolean | null | undefined;
}

const TLS_TIMEOUT_MS = 5_000;

/**
 * Explains why Temporal rejects a connection, if the API key or a certificate is the reason. The SDK reports a failed handshake only
 * as a timeout, so this function repeats it.
 */
export async function whyUnavailable(credentials: Credentials, error: unknown, signal?: AbortSignal) {
  if (isDenied(error)) {
    return credentials.apiKey === undefined
      ? 'it requires an API key, and TEMPORAL_API_KEY is not set'
      : 'it does not accept TEMPORAL_API_KEY';
  }
  const { tls } = credentials;
  if (!tls) return undefined;
  const certificates = tls === true ? {} : tls;
  const expiry = expiryOf(certificates);
  if (expiry !== undefined) return `TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate expired on ${expiry}`;
  return handshake(credentials.address, certificates, signal);
}

function expiryOf({ clientCertPair }: TLSConfig): string | undefined {
  if (!clientCertPair) return undefined;
  const { validTo } = new X509Certificate(clientCertPair.crt);
  return Date.parse(validTo) < Date.now() ? validTo : undefined;
}

async function handshake(address: string, tls: TLSConfig, signal: AbortSignal | undefined) {
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { clientCertPair: pair, serverRootCACertificate: ca, serverNameOverride } = tls;
  // Temporal Cloud selects its certificate by server name, which an IP address is not.
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
  let isSecure = false;
  socket.once('secureConnect', () => {
    isSecure = true;
  });
  // A server that responds late has not rejected the client.
  const late = new Error('no response in time');
  socket.setTimeout(TLS_TIMEOUT_MS, () => socket.destroy(late));
  try {
    // A server that accepts the client sends an HTTP/2 frame. Otherwise it completes the handshake, then closes the connection.
    await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => Promise.reject(new Error()))]);
    return undefined;
  } catch (error) {
    if (error === late) return undefined;
    return describe((error as NodeJS.ErrnoException).code ?? '', isSecure, pair !== undefined);
  } finally {
    socket.destroy();
  }
}

function describe(code: string, isSecure: boolean, hasCertificate: boolean): string | undefined {
  if (isSecure || code.includes('_ALERT_')) {
    return hasCertificate
      ? 'it does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH'
      : 'it requires a client certificate (TEMPORAL_TLS_CLIENT_CERT_PATH)';
  }
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired (${code})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name: ${code} (TEMPORAL_TLS_SERVER_NAME)`;
  if (/CERT|SIGNATURE|ISSUER|CHAIN/.test(code)) {
    return `its certificate is not trusted: ${code} (TEMPORAL_TLS_SERVER_CA_CERT_PATH)`;
  }
  if (/SSL|EPROTO/.test(code)) return 'it does not speak TLS';
  return undefined;
}
