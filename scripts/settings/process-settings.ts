import type { z } from 'zod';
import { codecServerSettings } from '../../src/codec-server/settings.js';
import { commandSettings } from '../../src/commands/cli/command-line.js';
import { consoleSettings } from '../../src/console/settings.js';
import { accountSettings, wordingSettings } from '../../src/partners/account-settings.js';
import { receiverSettings, webhookSettings } from '../../src/receiver/settings.js';
import { sandboxSettings } from '../../src/sandbox/settings.js';
import { secretsOf } from '../../src/settings/settings.js';
import { workerSettings } from '../../src/worker/settings.js';

/** A process, by the name under which people start it. */
export type Process = 'worker' | 'gangway' | 'receiver' | 'console' | 'codec-server' | 'sandbox';

/** Settings that a process reads, besides those of libraries. */
export interface ProcessSettings {
  readonly process: Process;
  /** Each setting has a description, and a format or a default that describes its values. */
  readonly schema: z.ZodObject;
  /** True if the settings exist once more for each account that `GANGWAY_ACCOUNTS` names. */
  readonly ofAccounts: boolean;
  /** Settings that a file can hold. */
  readonly secrets: readonly string[];
}

const entry = (
  process: ProcessSettings['process'],
  schema: z.ZodObject,
  ofAccounts = false,
): ProcessSettings => ({ process, schema, ofAccounts, secrets: secretsOf(schema) });

/** All settings of all processes. A setting that several processes read is in several entries. */
export const PROCESS_SETTINGS: readonly ProcessSettings[] = [
  entry('worker', workerSettings),
  entry('worker', accountSettings(), true),
  entry('gangway', commandSettings),
  entry('gangway', accountSettings(), true),
  entry('receiver', receiverSettings),
  entry('receiver', webhookSettings),
  entry('receiver', wordingSettings(), true),
  entry('console', consoleSettings),
  entry('console', accountSettings(), true),
  entry('codec-server', codecServerSettings),
  entry('sandbox', sandboxSettings),
];
