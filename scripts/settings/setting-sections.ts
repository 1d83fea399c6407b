import { z } from 'zod';
import { codecServerSettings } from '../../src/codec-server/settings.js';
import { commandSettings } from '../../src/commands/cli/command-line.js';
import { consoleSettings } from '../../src/console/settings.js';
import { accountSettings } from '../../src/partners/account-settings.js';
import { receiverSettings, webhookSettings } from '../../src/receiver/settings.js';
import { sandboxSettings } from '../../src/sandbox/settings.js';
import { secretsOf } from '../../src/settings/settings.js';
import { workerSettings } from '../../src/worker/settings.js';
import { PROCESS_SETTINGS, type Process } from './process-settings.js';

/** Settings that belong together, as the documents show them. */
export interface Section {
  readonly title: string;
  readonly about: string;
  readonly schema: z.ZodObject;
  /** Names of the settings that each process uses. */
  readonly readers: Readonly<Partial<Record<Process, readonly string[]>>>;
  /** Names of the settings that a file can hold. */
  readonly secrets: readonly string[];
}

/** A section of the settings in these shapes, without those that an earlier section shows. */
function section(title: string, about: string, shape: z.ZodRawShape, earlier: z.ZodRawShape = {}): Section {
  const own = Object.entries(shape).filter(([name]) => !Object.hasOwn(earlier, name));
  const schema = z.object(Object.fromEntries(own));
  const readers: Partial<Record<Process, readonly string[]>> = {};
  for (const { process, schema: read } of PROCESS_SETTINGS) {
    const names = Object.keys(schema.shape).filter((name) => Object.hasOwn(read.shape, name));
    if (names.length > 0) readers[process] = [...(readers[process] ?? []), ...names];
  }
  return { title, about, schema, readers, secrets: secretsOf(schema) };
}

const GANGWAY = { ...workerSettings.shape, ...commandSettings.shape };
const ACCOUNTS = accountSettings().shape;
const SHARED = { ...GANGWAY, ...ACCOUNTS };

/** Every schema of the environment of a process. */
export const SECTIONS: readonly Section[] = [
  section('Gangway', 'Shared settings, and those of the worker and the `gangway` command.', GANGWAY),
  section(
    'Partner accounts',
    'Each setting exists for the unnamed [account](accounts.md), and again for each name in `GANGWAY_ACCOUNTS`, which becomes its ' +
      'prefix: `NORTH_ISO_BOARDING_URL` for `north-iso`. Accounts share no settings.',
    ACCOUNTS,
  ),
  section(
    'Receiver',
    'The HTTP server for onboarding events, REST calls and partner webhooks.',
    { ...receiverSettings.shape, ...webhookSettings.shape },
    SHARED,
  ),
  section(
    'Console',
    'The web page where people answer requirements, and the identity provider where they sign in.',
    consoleSettings.shape,
    SHARED,
  ),
  section(
    'Codec server',
    'The server that decrypts payloads for the Temporal Web UI and the `temporal` command.',
    codecServerSettings.omit({ TEMPORAL_NAMESPACE: true }).shape,
    SHARED,
  ),
  section(
    'Sandbox',
    'The emulated partners. Each partner’s `*_URL` is the address of the sandbox; user name, password, token and API key are `sandbox`.',
    sandboxSettings.shape,
    SHARED,
  ),
];

/** A setting that a library or the platform reads, so that no schema describes it. */
export interface LibrarySetting {
  readonly name: string;
  readonly purpose: string;
  readonly unset?: string;
}

export interface LibrarySection {
  readonly title: string;
  readonly about: string;
  readonly settings: readonly LibrarySetting[];
}

export const LIBRARY_SECTIONS: readonly LibrarySection[] = [
  {
    title: 'Temporal',
    about:
      'Worker, command, receiver and console read these with `@temporalio/envconfig`, so a profile in `temporal.toml` can set them. The ' +
      'codec server reads only `TEMPORAL_NAMESPACE`. `TEMPORAL_GRPC_META_<NAME>` adds a header to each call.',
    settings: [
      { name: 'TEMPORAL_ADDRESS', purpose: 'Address of the Temporal server.', unset: '`localhost:7233`' },
      { name: 'TEMPORAL_NAMESPACE', purpose: 'Temporal namespace.', unset: '`default`' },
      { name: 'TEMPORAL_API_KEY', purpose: 'API key. Turns TLS on.' },
      {
        name: 'TEMPORAL_API_KEY_FILE',
        purpose: 'File with the API key. A new key takes effect without a restart.',
      },
      { name: 'TEMPORAL_TLS', purpose: 'Turns TLS on or off: `true` or `false`.' },
      { name: 'TEMPORAL_TLS_CLIENT_CERT_PATH', purpose: 'Client certificate file, for mutual TLS.' },
      { name: 'TEMPORAL_TLS_CLIENT_KEY_PATH', purpose: 'Client key file.' },
      { name: 'TEMPORAL_TLS_CLIENT_CERT_DATA', purpose: 'Client certificate in PEM.' },
      { name: 'TEMPORAL_TLS_CLIENT_KEY_DATA', purpose: 'Client key in PEM.' },
      {
        name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
        purpose: 'CA file for the server certificate.',
        unset: 'public CAs',
      },
      { name: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA', purpose: 'CA of the server certificate, in PEM.' },
      {
        name: 'TEMPORAL_TLS_SERVER_NAME',
        purpose: 'Name in the server certificate.',
        unset: 'the host of `TEMPORAL_ADDRESS`',
      },
      {
        name: 'TEMPORAL_CONFIG_FILE',
        purpose: 'File with profiles.',
        unset: 'the user’s `temporal.toml`',
      },
      { name: 'TEMPORAL_PROFILE', purpose: 'Profile in that file.', unset: '`default`' },
    ],
  },
  {
    title: 'Traces',
    about:
      'Worker, command, receiver and console send traces to an OpenTelemetry collector (OTLP over HTTP, protobuf). Other ' +
      '`OTEL_EXPORTER_OTLP_*` settings work, too.',
    settings: [
      {
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        purpose: 'Collector, such as `http://127.0.0.1:4318`.',
        unset: 'no traces',
      },
      {
        name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
        purpose: 'Whole URL for traces, if different.',
        unset: '`OTEL_EXPORTER_OTLP_ENDPOINT` and `/v1/traces`',
      },
      {
        name: 'OTEL_SERVICE_NAME',
        purpose: 'Service name in traces.',
        unset: 'process name',
      },
      { name: 'OTEL_RESOURCE_ATTRIBUTES', purpose: 'More attributes: comma-separated `key=value`.' },
      {
        name: 'OTEL_TRACES_SAMPLER',
        purpose: 'Standard name of the sampler.',
        unset: '`parentbased_always_on`',
      },
      { name: 'OTEL_TRACES_SAMPLER_ARG', purpose: 'Ratio for `traceidratio`.', unset: '`1`' },
      { name: 'OTEL_BSP_SCHEDULE_DELAY', purpose: 'Milliseconds between two exports.', unset: '`5000`' },
      { name: 'OTEL_SDK_DISABLED', purpose: '`true` turns traces off.', unset: '`false`' },
    ],
  },
  {
    title: 'Buckets',
    about: 'For `s3://bucket/prefix`, the AWS SDK reads its usual settings, files and roles.',
    settings: [
      { name: 'AWS_REGION', purpose: 'Region of the buckets.', unset: 'that of the profile' },
      { name: 'AWS_ACCESS_KEY_ID', purpose: 'Access key ID, without a role or profile.' },
      { name: 'AWS_SECRET_ACCESS_KEY', purpose: 'Secret access key.' },
    ],
  },
  {
    title: 'Certificate authorities',
    about: 'Node reads these in every process.',
    settings: [
      { name: 'NODE_EXTRA_CA_CERTS', purpose: 'File with additional CAs, such as your company’s.' },
      {
        name: 'NODE_TLS_REJECT_UNAUTHORIZED',
        purpose:
          '`0` accepts any certificate. Gangway allows it only if all configured servers are on this machine.',
        unset: '`1`',
      },
    ],
  },
  {
    title: 'Embedded Temporal server',
    about: 'For the demo and the tests.',
    settings: [
      {
        name: 'TEMPORAL_CLI_PATH',
        purpose: 'The `temporal` command to run.',
        unset: '`temporal` on the `PATH`, or else a pinned download',
      },
      {
        name: 'TEMPORAL_TEST_SERVER_PATH',
        purpose: 'The time-skipping test server, for the bench only.',
        unset: 'likewise `temporal-test-server`',
      },
    ],
  },
];
