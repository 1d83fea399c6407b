import { unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';
import {
  Client,
  type ClientInterceptors,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { z } from 'zod';
import { REQUIREMENT_KINDS } from '../messages/codes.js';
import { DEFAULT_TASK_QUEUE } from '../messages/ids.js';
import { ALLOWED_ANSWERS, type FourEyes, NEVER_PROPOSED } from '../messages/requirements.js';
import {
  BadSetting,
  listSetting,
  requireCertificates,
  secretIn,
  withAdvice,
  withSecretFiles,
} from '../platform/settings/settings.js';
import { dataConverter, type PayloadKeys, payloadKeys } from './payload-codec.js';
import { tracedClient } from './tracing.js';
import { type Credentials, isUnimplemented, TemporalProblem, whyUnavailable } from './unavailable.js';

/** Temporal's own settings that may come from a file, `<NAME>_FILE`. Certificates already have settings for paths. */
export const TEMPORAL_SECRETS: readonly string[] = ['TEMPORAL_API_KEY'];

/** Kinds of requirements, and kinds of answers that can be proposed. */
const UNDER_FOUR_EYES: readonly string[] = [
  ...REQUIREMENT_KINDS,
  ...new Set(Object.values(ALLOWED_ANSWERS).flat()),
].filter((kind) => !NEVER_PROPOSED.some((never) => never === kind));

/** The settings of every process that works with workflows, besides Temporal's own. */
export const temporalClientSettings = z.object({
  GANGWAY_TASK_QUEUE: z
    .string()
    .default(DEFAULT_TASK_QUEUE)
    .describe('Task queue of workers and workflows, and prefix of the partner task queues.'),
  GANGWAY_FEE_PLANS: z.string().optional().meta({
    description:
      'File with the [fee plans](onboardings.md#fee-plans) that inputs may name. Read again when it changes.',
    format: 'path',
    unset: 'inputs name no plan',
  }),
  GANGWAY_DBA: z
    .enum(['shown', 'masked'])
    .default('shown')
    .describe(
      'Form of the dba in lists and logs, where it is not encrypted: `masked` shows only its initials.',
    ),
  GANGWAY_FOUR_EYES: listSetting
    .refine(
      (kinds) => kinds.every((kind) => UNDER_FOUR_EYES.includes(kind)),
      `each must be one of ${UNDER_FOUR_EYES.join(', ')}`,
    )
    .transform((kinds) => kinds as FourEyes)
    .default([])
    .meta({
      description:
        'Kinds of requirements and of answers that one person proposes and another confirms, in onboardings that start from now on.',
      format: 'list of requirement kinds and answer kinds',
    }),
  PAYLOAD_KEYS: withAdvice(
    payloadKeys.optional().meta({
      description:
        'Keys that encrypt payloads: the first encrypts, each decrypts. `gangway keys new` makes one. Required unless Temporal is on this machine.',
      unset: 'payloads are not encrypted',
    }),
    (keys, name) =>
      !keys && {
        why: 'is not set: anyone with access to the namespace can read private data',
        fix: `set ${name} to the key that "gangway keys new" prints`,
      },
  ),
});

/** By default, gRPC would wait up to two minutes before it reconnects. */
const MAX_RECONNECT_BACKOFF_MS = 1_000;

export class TemporalUnavailable extends TemporalProblem {
  override readonly name = 'TemporalUnavailable';
  constructor(
    address: string,
    private readonly why: string | undefined,
    options?: ErrorOptions,
  ) {
    super(`cannot reach Temporal at ${address} (TEMPORAL_ADDRESS)${why ? `: ${why}` : ''}`, options);
  }

  /** Rejected credentials stay rejected. */
  override get isUnavailable(): boolean {
    return this.why === undefined;
  }
}

export async function temporalUnavailable(credentials: Credentials, error: unknown, signal?: AbortSignal) {
  return new TemporalUnavailable(credentials.address, await whyUnavailable(credentials, error, signal), {
    cause: error,
  });
}

/**
 * Temporal's own settings: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, TLS, API key, `temporal.toml` profiles.
 *
 * @throws {BadSetting}
 */
export function temporalSettings(env: NodeJS.ProcessEnv) {
  const overrideEnvVars = withSecretFiles(env, TEMPORAL_SECRETS);
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars });
    const { clientCert, clientKey } = profile.tls ?? {};
    // The SDK silently ignores a certificate without a key, and the reverse.
    if (clientCert && !clientKey) throw new BadSetting('TEMPORAL_TLS_CLIENT_KEY_PATH', 'is not set');
    if (clientKey && !clientCert) throw new BadSetting('TEMPORAL_TLS_CLIENT_CERT_PATH', 'is not set');
    const { connectionOptions, namespace = 'default' } = toClientOptions(profile);
    const { address = 'localhost:7233', ...options } = connectionOptions;
    if (!HOST_AND_PORT.test(address))
      throw new BadSetting('TEMPORAL_ADDRESS', 'must be host:port, such as localhost:7233, without http://');
    checkCertificates(options);
    requireCertificates(env, 'TEMPORAL_ADDRESS', isLoopback(address));
    return { connectionOptions: { ...options, address }, namespace };
  } catch (error) {
    if (error instanceof BadSetting) throw error;
    throw new BadSetting('TEMPORAL_*', error instanceof Error ? error.message : 'cannot be read');
  }
}

/** With any other address, the client waits forever, and the worker reports a different error. */
const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(:\d{1,5})?$/i;

/** Checks certificates before anything connects, because the worker's native core and gRPC report the same mistake differently. */
function checkCertificates({ tls }: Pick<Credentials, 'tls'>): void {
  if (!tls || tls === true) return;
  const { serverRootCACertificate: ca, clientCertPair: pair } = tls;
  try {
    createSecureContext({
      ...(ca && { ca: Buffer.from(ca) }),
      ...(pair && { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
    });
  } catch (error) {
    throw new BadSetting('TEMPORAL_TLS_*', `cannot be used (${(error as Error).message})`);
  }
}

/** Reports whether an address belongs to this machine, where Temporal is a development server. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(address);
}

/**
 * Throws unless private data is encrypted, or the server is a development server.
 *
 * @throws {BadSetting}
 */
export function requireKeys(address: string, keys: PayloadKeys | undefined): void {
  if (keys || isLoopback(address)) return;
  const why = 'without it, everyone with access to that Temporal server can read private data';
  throw new BadSetting('PAYLOAD_KEYS', `is not set, and ${why}; "gangway keys new" creates a key`);
}

export interface Connecting {
  readonly env: NodeJS.ProcessEnv;
  readonly keys: PayloadKeys | undefined;
  /** Cancels the attempt to connect, and later all calls in flight. */
  readonly signal: AbortSignal;
  /** Once connected, `signal` cancels nothing, because `use` handles it. */
  readonly finishes?: boolean | undefined;
}

/**
 * Runs `use` with a connected client, and closes everything afterwards.
 *
 * @throws {TemporalUnavailable}
 */
export async function withClient<Result>(
  { env, keys, signal, finishes = false }: Connecting,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const { client, end, close } = await openClient({ env, keys, signal });
  try {
    if (!finishes) signal.addEventListener('abort', end);
    const result = await use(client);
    if (!finishes) signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', end);
    await close();
  }
}

/**
 * Connects a client. The caller must close it.
 *
 * @param connecting its `signal` cancels only the attempt to connect
 * @returns `end` cancels all calls in flight, and all later ones
 * @throws {TemporalUnavailable}
 */
export async function openClient({
  env,
  keys,
  signal,
}: Omit<Connecting, 'signal' | 'finishes'> & { readonly signal?: AbortSignal }) {
  const { options, clientOptions } = clientSettings(env, keys);
  const over = new AbortController();
  const end = () => over.abort();
  let isConnected = false;
  const connection = Connection.lazy({
    ...options,
    interceptors: [
      makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
      endingWith(over.signal, () => !isConnected),
    ],
  });
  const stopWatching = onNewApiKey(env, (apiKey) => connection.setApiKey(apiKey));
  const close = async () => {
    stopWatching();
    end();
    await connection.close();
  };
  try {
    signal?.addEventListener('abort', end);
    await connection
      .withDeadline(Date.now() + 5_000, () => connection.workflowService.getSystemInfo({}))
      .catch(async (error: unknown) => {
        signal?.throwIfAborted();
        if (!isUnimplemented(error)) throw await temporalUnavailable(options, error, signal);
      });
    isConnected = true;
    return { client: new Client({ connection, ...clientOptions }), end, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** Returns a client that connects when it is first used, so that a process can start before Temporal does. */
export function lazyClient(env: NodeJS.ProcessEnv, keys: PayloadKeys | undefined): Client {
  const { options, clientOptions } = clientSettings(env, keys);
  const connection = Connection.lazy(options);
  onNewApiKey(env, (apiKey) => connection.setApiKey(apiKey));
  return new Client({ connection, ...clientOptions });
}

function clientSettings(env: NodeJS.ProcessEnv, keys: PayloadKeys | undefined) {
  const { connectionOptions, namespace } = temporalSettings(env);
  const channelArgs = {
    'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS,
    // gRPC would use HTTPS_PROXY even for this machine, and a worker's connection never does.
    'grpc.enable_http_proxy': process.env['grpc_proxy'] && !isLoopback(connectionOptions.address) ? 1 : 0,
  };
  const options = { ...(connectionOptions as ConnectionOptions & Credentials), channelArgs };
  return {
    options,
    clientOptions: { namespace, dataConverter: dataConverter(keys), interceptors: clientInterceptors },
  };
}

/**
 * The interceptors of every client. They drop the memo from descriptions, because the SDK fails to describe a workflow whose memo
 * it cannot decrypt.
 */
export const clientInterceptors: ClientInterceptors = {
  ...tracedClient,
  workflow: [
    ...(tracedClient.workflow as readonly WorkflowClientInterceptor[]),
    {
      async describe(input, next) {
        const description = await next(input);
        if (description.workflowExecutionInfo) description.workflowExecutionInfo.memo = null;
        return description;
      },
    },
  ],
};

/** Combines another program's client interceptors with {@link clientInterceptors}, which come last. */
export function besideOwn({ workflow, ...others }: ClientInterceptors = {}): ClientInterceptors {
  const theirs = Array.isArray(workflow) ? workflow : [];
  const own = clientInterceptors.workflow as readonly WorkflowClientInterceptor[];
  return { ...clientInterceptors, ...others, workflow: [...theirs, ...own] };
}

/** The interval between checks of the file, in milliseconds. Polling also notices a mounted secret, whose link is replaced. */
const INTERVAL_MS = 5_000;

/**
 * Calls back with each new key in `TEMPORAL_API_KEY_FILE`, so keys rotate without a restart. Does nothing if that is not set, and
 * never keeps a process alive.
 */
export function onNewApiKey(env: NodeJS.ProcessEnv, use: (apiKey: string) => void): () => void {
  const file = env['TEMPORAL_API_KEY_FILE'];
  if (!file) return () => undefined;
  const look = () => {
    try {
      use(secretIn('TEMPORAL_API_KEY_FILE', file));
    } catch {
      // The file is being replaced. Keep the last key.
    }
  };
  watchFile(file, { interval: INTERVAL_MS, persistent: false }, look);
  return () => unwatchFile(file, look);
}

const ENDED = { code: status.CANCELLED, details: 'the command has ended', metadata: new Metadata() };

/** Longer than any call to a live server, which keeps a long poll open for 20 s, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Gives every attempt of every call a deadline, so a command never waits for a silent server. When `signal` aborts, cancels all
 * attempts in flight and starts no more. The SDK's `withAbortSignal` cancels only the first attempt, ignores later calls, and
 * leaves listeners on the signal.
 *
 * @param isConnecting while true, calls wait for the connection. The SDK's own wait cannot be canceled.
 */
function endingWith(signal: AbortSignal, isConnecting: () => boolean): Interceptor {
  const inProgress = new Set<InterceptingCall>();
  const cancelAll = () => {
    for (const call of inProgress) call.cancelWithStatus(ENDED.code, ENDED.details);
  };
  signal.addEventListener('abort', cancelAll, { once: true });
  return (options, nextCall) => {
    if (signal.aborted) return new InterceptingCall(ENDED_CALL);
    const call = new InterceptingCall(
      nextCall({ ...options, deadline: options.deadline ?? Date.now() + CALL_TIMEOUT_MS }),
      {
        start(metadata, _, next) {
          inProgress.add(call);
          if (isConnecting()) metadata.setOptions({ waitForReady: true });
          next(metadata, {
            onReceiveStatus(end, pass) {
              inProgress.delete(call);
              pass(end);
            },
          });
        },
      },
    );
    return call;
  };
}

/** A retry on a closed connection would throw in its timer, where nothing catches the error. */
const ENDED_CALL: ConstructorParameters<typeof InterceptingCall>[0] = {
  start: (_, listener) =>
    queueMicrotask(() => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.(ENDED);
    }),
  sendMessage() {},
  sendMessageWithContext() {},
  startRead() {},
  halfClose() {},
  cancelWithStatus() {},
  getPeer: () => '',
  getAuthContext: () => null,
};
