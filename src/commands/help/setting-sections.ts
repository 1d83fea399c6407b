import { z } from 'zod';
import { codecServerSettings } from '../../codec-server/settings.js';
import { consoleSettings } from '../../console/settings.js';
import { accountSettings } from '../../partners/account-settings.js';
import { receiverSettings, webhookSettings } from '../../receiver/settings.js';
import { sandboxSettings } from '../../sandbox/settings.js';
import { secretsOf } from '../../settings/settings.js';
import { workerSettings } from '../../worker/settings.js';
import { commandSettings } from '../cli/command-line.js';
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
  section(
    'Gangway',
    'What all processes have in common, and what only the worker or the command uses.',
    GANGWAY,
  ),
  section(
    'Partner accounts',
    'A partner account is your identity at a partner. Each setting exists once for the account without a name and once more ' +
      'for each name in `GANGWAY_ACCOUNTS`, with the name in capitals before it and a hyphen as an underscore: ' +
      '`NORTH_ISO_BOARDING_URL`. An account uses no setting of another account.',
    ACCOUNTS,
  ),
  section(
    'Receiver',
    'The HTTP intake of onboarding events, of REST calls, and of webhooks of partners.',
    { ...receiverSettings.shape, ...webhookSettings.shape },
    SHARED,
  ),
  section(
    'Console',
    'The web page where people answer what onboardings ask, and the identity provider at which they sign in.',
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
    'The emulated partners. User name, password, token and API key of each partner are `sandbox`, and each `*_URL` of a ' +
      'partner is the address of the sandbox.',
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
      'Worker, command, receiver and console read these with `@temporalio/envconfig`; the codec server reads `TEMPORAL_NAMESPACE` only. ' +
      'A profile of `temporal.toml` can hold them instead. `TEMPORAL_GRPC_META_<NAME>` adds a header to each call.',
    settings: [
      { name: 'TEMPORAL_ADDRESS', purpose: 'Address of the Temporal server.', unset: '`localhost:7233`' },
      { name: 'TEMPORAL_NAMESPACE', purpose: 'Namespace at Temporal.', unset: '`default`' },
      { name: 'TEMPORAL_API_KEY', purpose: 'API key. It switches TLS on.' },
      {
        name: 'TEMPORAL_API_KEY_FILE',
        purpose: 'File that holds the API key instead. A new key in it is used without a restart.',
      },
      { name: 'TEMPORAL_TLS', purpose: 'Switches TLS on or off: `true` or `false`.' },
      { name: 'TEMPORAL_TLS_CLIENT_CERT_PATH', purpose: 'File of the client certificate, for mutual TLS.' },
      { name: 'TEMPORAL_TLS_CLIENT_KEY_PATH', purpose: 'File of the key of the client certificate.' },
      { name: 'TEMPORAL_TLS_CLIENT_CERT_DATA', purpose: 'The client certificate itself, in PEM.' },
      { name: 'TEMPORAL_TLS_CLIENT_KEY_DATA', purpose: 'The key of the client certificate itself, in PEM.' },
      {
        name: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
        purpose: 'File of the CA that signs the certificate of the server.',
        unset: 'public CAs',
      },
      { name: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA', purpose: 'The certificate of that CA itself, in PEM.' },
      {
        name: 'TEMPORAL_TLS_SERVER_NAME',
        purpose: 'Name in the certificate of the server.',
        unset: 'the host of `TEMPORAL_ADDRESS`',
      },
      {
        name: 'TEMPORAL_CONFIG_FILE',
        purpose: 'File with profiles.',
        unset: 'the `temporal.toml` of the user',
      },
      { name: 'TEMPORAL_PROFILE', purpose: 'Profile in that file.', unset: '`default`' },
    ],
  },
  {
    title: 'Traces',
    about:
      'Worker, command, receiver and console send traces to an OpenTelemetry collector (OTLP over HTTP, protobuf). The exporter also reads ' +
      'the other `OTEL_EXPORTER_OTLP_*` settings of the standard, such as headers and certificates.',
    settings: [
      {
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        purpose: 'Collector, such as `http://127.0.0.1:4318`.',
        unset: 'no traces',
      },
      {
        name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
        purpose: 'Whole URL for traces, where it differs.',
        unset: '`OTEL_EXPORTER_OTLP_ENDPOINT` and `/v1/traces`',
      },
      {
        name: 'OTEL_SERVICE_NAME',
        purpose: 'Name of the service in traces.',
        unset: 'the name of the process',
      },
      { name: 'OTEL_RESOURCE_ATTRIBUTES', purpose: 'Further attributes, as `key=value` with commas.' },
      {
        name: 'OTEL_TRACES_SAMPLER',
        purpose: 'Sampler, by its standard name.',
        unset: '`parentbased_always_on`',
      },
      { name: 'OTEL_TRACES_SAMPLER_ARG', purpose: 'Ratio for `traceidratio`.', unset: '`1`' },
      { name: 'OTEL_BSP_SCHEDULE_DELAY', purpose: 'Milliseconds between two exports.', unset: '`5000`' },
      { name: 'OTEL_SDK_DISABLED', purpose: '`true` switches traces off.', unset: '`false`' },
    ],
  },
  {
    title: 'Buckets',
    about:
      'A process that uses `s3://bucket/prefix` reads the settings, files and roles of the AWS SDK. These are the usual ones.',
    settings: [
      { name: 'AWS_REGION', purpose: 'Region of the buckets.', unset: 'the region of the profile' },
      { name: 'AWS_ACCESS_KEY_ID', purpose: 'Access key, where there is no role or profile.' },
      { name: 'AWS_SECRET_ACCESS_KEY', purpose: 'Secret of the access key.' },
    ],
  },
  {
    title: 'Certificates of others',
    about: 'Node reads these in each process.',
    settings: [
      { name: 'NODE_EXTRA_CA_CERTS', purpose: 'File of further CAs, such as the CA of your company.' },
      {
        name: 'NODE_TLS_REJECT_UNAUTHORIZED',
        purpose:
          '`0` accepts any certificate. Gangway starts with it only when all servers that its settings name are on this machine.',
        unset: '`1`',
      },
    ],
  },
  {
    title: 'Embedded Temporal server',
    about: 'The demo and the tests start it. They set everything else themselves.',
    settings: [
      {
        name: 'TEMPORAL_CLI_PATH',
        purpose: 'The `temporal` command to run.',
        unset: '`temporal` on the `PATH`, else a pinned version that is downloaded once',
      },
      {
        name: 'TEMPORAL_TEST_SERVER_PATH',
        purpose: 'The time-skipping test server to run (tests only).',
        unset: 'as above, `temporal-test-server`',
      },
    ],
  },
];
