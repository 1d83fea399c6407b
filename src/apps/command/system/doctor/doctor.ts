import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Closable } from '../../../../partners/partner.js';
import { bucketAddress, type FileStore, StoreFailure } from '../../../../platform/documents/file-store.js';
import { openStore } from '../../../../platform/documents/open-store.js';
import { proxyFor } from '../../../../platform/http/proxy.js';
import { webhookFigures, webhookText } from '../../../../services/reports/webhooks.js';
import { openClient } from '../../../../temporal/connection.js';
import type { WorkerSettings } from '../../../../worker/settings.js';
import type { CommandLine } from '../../cli/command-line.js';
import { CommandFailed, EXIT } from '../../cli/errors.js';
import type { Flags } from '../../cli/options.js';
import {
  type Check,
  type ClockOffsets,
  examineClocks,
  messageOf,
  ok,
  type Verdict,
  verdictsOf,
  warn,
  wrong,
} from './check.js';
import { partnerChecks } from './partners.js';
import { examineSettings, weakSettings } from './settings.js';
import { temporalChecks } from './temporal.js';

export async function doctor(cli: CommandLine, { json }: Flags<'json'>): Promise<void> {
  const counts = { ok: 0, warn: 0, wrong: 0, unknown: 0 };
  for await (const { check, width, verdict } of examine(cli)) {
    counts[verdict.state] += 1;
    if (json) cli.json({ check, ...verdict });
    else {
      cli.line(`${verdict.state.padEnd(7)}  ${check.padEnd(width)}  ${verdict.detail}`);
      if (verdict.state !== 'ok') cli.line(`${' '.repeat(width + 11)}fix: ${verdict.fix}`);
    }
  }
  const { ok: fine, warn: warnings, wrong: bad, unknown } = counts;
  const all = (some: number) =>
    `${some} of ${fine + warnings + bad + unknown} findings ${some === 1 ? 'is' : 'are'}`;
  if (bad > 0) throw new CommandFailed(`${all(bad)} wrong`);
  if (unknown > 0) throw new CommandFailed(`${all(unknown)} unknown`, { exitCode: EXIT.unavailable });
}

/** Runs all checks at once. Returns each result in a fixed order, as soon as it can. */
export async function* examine(cli: CommandLine) {
  const { usable, bad } = examineSettings(cli.env);
  const { running, close } = usable ? await runChecks(cli, usable) : { running: [], close: async () => {} };
  const all = [{ name: 'settings', verdicts: bad }, ...running];
  const width = Math.max(...all.map(({ name }) => name.length));
  try {
    for (const { name: check, verdicts } of all)
      for (const verdict of await verdicts) yield { check, width, verdict };
  } finally {
    await close();
  }
}

async function runChecks(
  { env: environment, signal }: CommandLine,
  { config, env }: NonNullable<ReturnType<typeof examineSettings>['usable']>,
) {
  const weak = await weakSettings(config, env);
  const clocks: ClockOffsets = new Map();
  const clients: Closable[] = [];
  const temporal = openClient({ env, keys: config.payloadKeys, signal });
  const store = (name: string, setting: string, place: string) =>
    storeCheck(name, setting, { place, isGiven: Boolean(env[setting]), open: () => openStore(place, env) });
  const checks = [
    ...temporalChecks(
      temporal.then(({ client }) => client),
      config,
      clocks,
    ),
    ...partnerChecks(config, environment, clocks, clients),
    store('document store', 'DOCUMENT_DIR', config.documentDir),
    store('statement store', 'STATEMENT_DIR', config.statementDir),
    webhookCheck(environment),
  ];
  const running = checks.map((check) => ({ name: check.name, verdicts: verdictsOf(check, signal) }));
  const responses = Promise.all(running.map(({ verdicts }) => verdicts));
  const all = [
    ...running,
    { name: 'fee plans', verdicts: Promise.resolve([feePlanVerdict(config)]) },
    { name: 'proxy', verdicts: Promise.resolve([proxyVerdict(environment)]) },
    { name: 'clocks', verdicts: responses.then(() => examineClocks(clocks)) },
    { name: 'weak setting', verdicts: Promise.resolve(weak) },
  ];
  // A rejection that is awaited later must not count as unhandled.
  for (const { verdicts } of all) verdicts.catch(() => undefined);
  return {
    running: all,
    async close() {
      await Promise.all([
        temporal.then((each) => each.close()).catch(() => undefined),
        ...clients.map((client) => client.close()),
      ]);
    },
  };
}

/** Checks the operator's fee plans. */
export function feePlanVerdict({ feePlans }: Pick<WorkerSettings, 'feePlans'>): Verdict {
  try {
    const names = feePlans().map(({ name }) => name);
    return ok(names.join(', ') || 'none: set GANGWAY_FEE_PLANS to let inputs name one');
  } catch (error) {
    return wrong(
      messageOf(error),
      'run "gangway fees check FILE", and correct GANGWAY_FEE_PLANS or the file',
    );
  }
}

/** Checks the proxy to partners, event receivers and the identity provider. */
export function proxyVerdict(env: NodeJS.ProcessEnv): Verdict {
  const direct = env['no_proxy'] || env['NO_PROXY'];
  const fix = 'set HTTPS_PROXY to an address such as http://gateway.example.com:3128';
  try {
    const proxy = proxyFor('', '', { ...env, NO_PROXY: '', no_proxy: '' });
    if (!proxy) return ok('none: HTTPS_PROXY is not set');
    // This fails for a proxy that does not speak HTTP, and so does every connection through it.
    const { host } = new URL(proxy.origin);
    return ok(`${host}${direct ? `, but not for ${direct}` : ''} (HTTPS_PROXY); not for Temporal`);
  } catch {
    return wrong('HTTPS_PROXY is no URL of an HTTP proxy', fix);
  }
}

/** Shows how many status changes webhooks reported first in the last week, and the webhooks that have stopped, like the alert. */
export function webhookCheck(env: NodeJS.ProcessEnv): Check {
  return {
    name: 'webhooks',
    fix: 'correct GANGWAY_PROMETHEUS_URL, or start Prometheus',
    async run(signal) {
      const figures = await webhookFigures(env, signal);
      if (!figures) return [ok('off: set GANGWAY_PROMETHEUS_URL to see how many changes webhooks bring')];
      if (figures.length === 0) return [ok('Prometheus has counted no changes or webhooks this week')];
      const fix = 'see docs/operations.md, "Alert: webhooks stopped"';
      return figures.map((figure) =>
        figure.hasStopped ? warn(webhookText(figure), fix) : ok(webhookText(figure)),
      );
    },
  };
}

/** A file that the check writes and does not remove, because Gangway needs no permission to remove files. */
const PROBE = {
  name: 'gangway-doctor.txt',
  content: 'gangway doctor wrote this file to check that the store can be written and read',
};

interface Store {
  readonly place: string;
  /** Whether the setting names the place, so its name may contain a typo. */
  readonly isGiven: boolean;
  readonly open: () => Promise<FileStore>;
}

/** Checks a store: writes a file and reads it. Creates no folder, because a typo in its name would go unnoticed. */
export function storeCheck(name: string, setting: string, { place, isGiven, open }: Store): Check {
  const fix = `correct ${setting}, or the permissions there`;
  return {
    name,
    fix,
    async run() {
      try {
        const held = bucketAddress(place) === undefined ? await filesIn(place) : undefined;
        const missing = `${place}: the folder does not exist yet; the first file creates it`;
        if (held === 'missing')
          return [isGiven ? warn(missing, `correct ${setting}, or create the folder`) : ok(missing)];
        return [await written(await open(), held === 'none' ? ', which is empty' : '')];
      } catch (error) {
        if (!(error instanceof StoreFailure)) throw error;
        const { code = '' } = (error.cause ?? {}) as NodeJS.ErrnoException;
        const [, remedy = fix] = REMEDIES.find(([codes]) => codes.split(' ').includes(code)) ?? [];
        return [wrong(messageOf(error), remedy)];
      }
    },
  };
}

/** Reports whether a folder has files. An unreadable one counts as full, because writing then shows why. */
function filesIn(place: string): Promise<'missing' | 'none' | 'some'> {
  return readdir(place).then(
    (names) => (names.every((name) => name === PROBE.name) ? 'none' : 'some'),
    ({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? 'missing' : 'some'),
  );
}

async function written(files: FileStore, note: string): Promise<Verdict> {
  await files.save(PROBE.name, Readable.from([PROBE.content]), 'text/plain');
  const read = await text(await files.open(PROBE.name));
  if (read === PROBE.content) return ok(files.place + note);
  return wrong(`${files.place}: a file does not read back as it was written`, 'repair the store');
}

/** The remedies for failures of the file system that no setting causes, by their codes. */
const REMEDIES: readonly (readonly [codes: string, remedy: string])[] = [
  ['ENOSPC EDQUOT', 'free up or add space there'],
  ['EIO ESTALE', 'repair the disk or the mount'],
  ['EACCES EPERM', 'allow the user of this process to read and write there'],
  ['EMFILE ENFILE', 'raise the limit of open files'],
  ['EROFS', 'mount it as writable'],
];
