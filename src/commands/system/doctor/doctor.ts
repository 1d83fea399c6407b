import { openStore } from '../../../documents/open-store.js';
import type { Closable } from '../../../partners/partner.js';
import { webhookFigures, webhookText } from '../../../reports/webhooks.js';
import { openClient } from '../../../temporal/connection.js';
import type { CommandLine } from '../../cli/command-line.js';
import { CommandFailed, EXIT } from '../../cli/errors.js';
import { type Check, ok, type Verdict, verdictsOf, warn } from './check.js';
import { type ClockOffsets, examineClocks } from './clocks.js';
import { partnerChecks } from './partners.js';
import { type Examined, examineSettings, weakSettings } from './settings.js';
import { storeCheck } from './stores.js';
import { temporalChecks } from './temporal.js';

export async function doctor(cli: CommandLine, { json }: { readonly json?: true }): Promise<void> {
  const found = await examine(cli, json ? printJson : printLine);
  const states = found.map(({ state }) => state);
  const wrong = states.filter((state) => state === 'wrong').length;
  if (wrong > 0) throw new CommandFailed(`${wrong} of ${found.length} findings are wrong`);
  const unknown = states.filter((state) => state === 'unknown').length;
  if (unknown === 0) return;
  throw new CommandFailed(`${unknown} of ${found.length} findings are unknown`, {
    exitCode: EXIT.unavailable,
  });
}

type Print = (cli: CommandLine, check: string, verdict: Verdict, width: number) => void;

const printJson: Print = (cli, check, verdict) => cli.json({ check, ...verdict });

/** A line for each finding, and one for its fix. */
const printLine: Print = (cli, check, verdict, width) => {
  const indent = ' '.repeat(width + 11);
  cli.line(`${verdict.state.padEnd(7)}  ${check.padEnd(width)}  ${verdict.detail}`);
  if (verdict.state !== 'ok') cli.line(`${indent}fix: ${verdict.fix}`);
};

interface Running {
  readonly name: string;
  readonly verdicts: Promise<readonly Verdict[]> | readonly Verdict[];
}

/** Runs all checks at once. Prints each as soon as those before it are printed, so that the order is always the same. */
export async function examine(cli: CommandLine, print: Print): Promise<Verdict[]> {
  const { usable, bad } = examineSettings(cli.env);
  const settings = { name: 'settings', verdicts: bad };
  if (!usable) return printed([settings], (...finding) => print(cli, ...finding));
  const { running, close } = await runChecks(cli, usable);
  try {
    return await printed([settings, ...running], (...finding) => print(cli, ...finding));
  } finally {
    await close();
  }
}

async function printed(
  all: readonly Running[],
  print: (check: string, verdict: Verdict, width: number) => void,
): Promise<Verdict[]> {
  const width = Math.max(...all.map(({ name }) => name.length));
  const found: Verdict[] = [];
  for (const { name, verdicts } of all) {
    for (const verdict of await verdicts) {
      print(name, verdict, width);
      found.push(verdict);
    }
  }
  return found;
}

async function runChecks({ env: given, signal }: CommandLine, usable: NonNullable<Examined['usable']>) {
  const { config, env } = usable;
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
    ...partnerChecks({ config, env: given, clocks, clients }),
    store('document store', 'DOCUMENT_DIR', config.documentDir),
    store('statement store', 'STATEMENT_DIR', config.statementDir),
    webhookCheck(given),
  ];
  const running = checks.map((check) => ({ name: check.name, verdicts: verdictsOf(check, signal) }));
  const responses = Promise.all(running.map(({ verdicts }) => verdicts));
  const all = [
    ...running,
    { name: 'clocks', verdicts: responses.then(() => examineClocks(clocks)) },
    { name: 'weak setting', verdicts: Promise.resolve(weak) },
  ];
  // What is awaited later must not count as unhandled.
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

/** Shows what webhooks were worth in the last week, and those that have stopped, as the alert about them sees it. */
export function webhookCheck(env: NodeJS.ProcessEnv): Check {
  return {
    name: 'webhooks',
    fix: 'correct GANGWAY_PROMETHEUS_URL, or start Prometheus',
    async run(signal) {
      const figures = await webhookFigures(env, signal);
      if (!figures)
        return [ok('off: GANGWAY_PROMETHEUS_URL is not set, so what webhooks are worth is unknown')];
      if (figures.length === 0) return [ok('Prometheus has no counts of changes or webhooks of this week')];
      const fix = 'see docs/operations.md, "Alert: webhooks stopped"';
      return figures.map((figure) =>
        figure.hasStopped ? warn(webhookText(figure), fix) : ok(webhookText(figure)),
      );
    },
  };
}
