import { describe, expect, it } from 'vitest';
import { LIBRARY_SECTIONS, PROCESS_SETTINGS, type Process } from '../../../scripts/settings.js';
import { loadCommandSettings } from '../../../src/apps/command/cli/command-line.js';
import { loadConsoleSettings } from '../../../src/apps/console/settings.js';
import { SYSTEM_NAMES, settingsPrefix } from '../../../src/partners/descriptors.js';
import { shapeOf } from '../../../src/platform/schemas/shape.js';
import { startTracing } from '../../../src/platform/tracing/spans.js';

const settings = PROCESS_SETTINGS.flatMap(({ process, schema, secrets }) =>
  Object.entries(schema.shape).map(([name, setting]) => {
    const { description = '', address, format } = shapeOf(setting);
    return { process, name, description, address, format, isSecret: secrets.includes(name) };
  }),
);

// Proves B1.
it('each setting has a description, and is a secret if its name is that of one', () => {
  const isOfSecret = (name: string) => /(PASSWORD|SECRETS?|TOKENS?|_KEYS?|_AUTH)$/.test(name);
  expect(settings.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
  expect(settings.filter(({ name, isSecret }) => isOfSecret(name) && !isSecret)).toEqual([]);
});

/** Whether a setting may hold an address, by its name or by what it describes. */
const mayBeAddress = (...texts: readonly unknown[]) =>
  /UR[LI]|ADDRESS|ENDPOINT|ISSUER|ORIGIN|HOST|SERVER|COLLECTOR|:\/\//i.test(texts.join(' '));

describe('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  it('each setting that may hold an address has a mark, whatever its value', () => {
    const candidates = settings.filter(({ name, format }) => mayBeAddress(name, format));
    expect(candidates.length).toBeGreaterThan(20);
    expect(candidates.filter(({ address }) => address === undefined)).toEqual([]);
  });

  it.each<[Process, connectsTo: string[]]>([
    ['worker', ['EVENTS_URLS', 'DOCUMENT_DIR', 'STATEMENT_DIR', 'AWS_ENDPOINT_URL_S3', 'partners']],
    [
      'gangway',
      ['DOCUMENT_DIR', 'STATEMENT_DIR', 'AWS_ENDPOINT_URL_S3', 'GANGWAY_PROMETHEUS_URL', 'partners'],
    ],
    ['receiver', ['DOCUMENT_DIR', 'AWS_ENDPOINT_URL_S3']],
    ['console', ['OIDC_ISSUER', 'DOCUMENT_DIR', 'STATEMENT_DIR', 'AWS_ENDPOINT_URL_S3', 'partners']],
    ['codec-server', ['CODEC_JWKS_URL']],
    ['link', ['LINK_API_URL']],
    ['sandbox', []],
  ])('%s checks the addresses %j', (process, connectsTo) => {
    const partners = SYSTEM_NAMES.map((system) => `${settingsPrefix(system)}URL`);
    const checked = settings.filter((each) => each.process === process && each.address);
    expect(checked.map(({ name }) => name).sort()).toEqual(
      connectsTo.flatMap((name) => (name === 'partners' ? partners : name)).sort(),
    );
  });

  it('no other setting of a library has an address than those of Temporal and of traces', () => {
    const names = LIBRARY_SECTIONS.flatMap(({ settings }) => settings.map(({ name }) => name));
    expect(names.filter((name) => mayBeAddress(name)).sort()).toEqual(
      [
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
        'TEMPORAL_ADDRESS',
        // Names and certificates of the server at TEMPORAL_ADDRESS.
        'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
        'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
        'TEMPORAL_TLS_SERVER_NAME',
        // Not over the network.
        'TEMPORAL_TEST_SERVER_PATH',
      ].sort(),
    );
  });

  const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const signIn = { OIDC_CLIENT_ID: 'console', CONSOLE_SESSION_KEYS: 'k'.repeat(32) };
  it('the console does not start with an identity provider on another machine', () => {
    const load = (OIDC_ISSUER: string) => loadConsoleSettings({ ...unverified, ...signIn, OIDC_ISSUER });
    expect(() => load('https://login.example.com')).toThrow(
      'NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose as the server of OIDC_ISSUER; ',
    );
    expect(load('https://127.0.0.1:9000').oidc?.issuer).toBe('https://127.0.0.1:9000');
  });

  it('links to the Web UI go to no address that nobody has set', () => {
    const TEMPORAL_ADDRESS = 'localhost:7233';
    expect(loadConsoleSettings({ TEMPORAL_ADDRESS }).uiUrl).toBe(undefined);
    expect(loadCommandSettings({ TEMPORAL_ADDRESS }).uiUrl).toBe(undefined);
  });

  it('the console may have links to other machines', () => {
    const GANGWAY_UI_URL = 'https://temporal.example.com';
    const CONSOLE_URL = 'https://console.example.com';
    const links = { GANGWAY_UI_URL, BOARDING_PORTAL_URL: 'https://x.example.com/{id}' };
    expect(loadConsoleSettings({ ...unverified, CONSOLE_URL, ...links }).uiUrl).toBe(GANGWAY_UI_URL);
  });

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'no traces go to %s on another machine',
    async (name) => {
      await expect(startTracing('x', { ...unverified, [name]: 'https://otel.example.com' })).rejects.toThrow(
        `NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose as the server of ${name}; `,
      );
      const off = { OTEL_SDK_DISABLED: 'true', [name]: 'https://[::1]:4318' };
      await (await startTracing('x', { ...unverified, ...off }))();
    },
  );
});
