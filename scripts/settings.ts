import { z } from 'zod';
import { codecServerSettings } from '../src/apps/codec-server/settings.js';
import { commandSettings } from '../src/apps/command/cli/command-line.js';
import { consoleSettings } from '../src/apps/console/settings.js';
import { linkServerSettings } from '../src/apps/link/settings.js';
import { receiverSettings, webhookSettings } from '../src/apps/receiver/settings.js';
import { sandboxSettings } from '../src/apps/sandbox/server.js';
import { accountSettings, wordingSettings } from '../src/partners/account-settings.js';
import { type Shape, shapeOf } from '../src/platform/schemas/shape.js';
import { secretsOf } from '../src/platform/settings/settings.js';
import { readDocsPage, tablesIn } from '../src/services/texts/docs.js';
import { workerSettings } from '../src/worker/settings.js';

/** A process, by the name under which people start it. */
export type Process = 'worker' | 'gangway' | 'receiver' | 'console' | 'codec-server' | 'link' | 'sandbox';

const READ: readonly (readonly [Process, z.ZodObject])[] = [
  ['worker', workerSettings],
  ['worker', accountSettings()],
  ['gangway', commandSettings],
  ['gangway', accountSettings()],
  ['receiver', receiverSettings],
  ['receiver', webhookSettings],
  ['receiver', wordingSettings],
  ['console', consoleSettings],
  ['console', accountSettings()],
  ['codec-server', codecServerSettings],
  ['link', linkServerSettings],
  ['sandbox', sandboxSettings],
];

/** All settings of all processes, and those of them that a file can hold. Several processes may read a setting. */
export const PROCESS_SETTINGS = READ.map(([process, schema]) => ({
  process,
  schema,
  secrets: secretsOf(schema),
}));

/** Settings that belong together, as the documents show them. */
export type Section = ReturnType<typeof section>;

/** A section of the settings in these shapes, without those that an earlier section shows. */
function section(title: string, about: string, shape: z.ZodRawShape, earlier: z.ZodRawShape = {}) {
  const own = Object.entries(shape).filter(([name]) => !Object.hasOwn(earlier, name));
  const schema = z.object(Object.fromEntries(own));
  return { title, about, schema, secrets: secretsOf(schema) };
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
    'Merchant’s page',
    'The page of [links](links.md), where merchants answer. It reads no other setting: no address of Temporal, and no payload key.',
    linkServerSettings.shape,
    SHARED,
  ),
  section(
    'Sandbox',
    'The emulated partners. Each partner’s `*_URL` is the address of the sandbox; user name, password, token and API key are `sandbox`.',
    sandboxSettings.shape,
    SHARED,
  ),
];

/** The settings of a section, in the words of their schemas. The default is as in the environment, or the effect of omitting it. */
export function settingsOf({ schema, secrets }: Section) {
  return [...shapeOf(schema).fields].map(([name, shape]) => {
    const { description: purpose, values, format, unset } = shape;
    if (purpose === undefined) throw new Error(`${name} has no description: add .describe() to its schema`);
    const readers = PROCESS_SETTINGS.filter((read) => Object.hasOwn(read.schema.shape, name));
    return {
      name,
      purpose,
      format: format ?? values?.map((value) => `\`${value}\``).join(', ') ?? 'text',
      default: unset ?? defaultOf(shape),
      readers: [...new Set(readers.map(({ process }) => process))],
      isSecret: secrets.includes(name),
    };
  });
}

function defaultOf({ default: value }: Shape): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'object') throw new Error(`use .prefault() for the default ${JSON.stringify(value)}`);
  return `\`${value}\``;
}

/** The settings that a library or the platform reads, so that no schema describes them: only docs/configuration.md does. */
export const LIBRARY_SECTIONS = tablesIn(readDocsPage('configuration'))
  .filter(({ heading }) => !SECTIONS.some(({ title }) => title === heading))
  .map(({ heading: title, rows }) => ({
    title,
    settings: rows.map(({ setting = '', default: unset = '', purpose = '' }) => ({
      name: setting.replaceAll('`', ''),
      purpose,
      default: unset,
    })),
  }));
