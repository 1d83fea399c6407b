import type { Client } from '@temporalio/client';
import { openStore } from '../../../documents/open-store.js';
import type { Closable } from '../../../partners/partner.js';
import { loadReceiverSettings, WEBHOOK_PARTNERS } from '../../../receiver/settings.js';
import { withClient } from '../../../temporal/connection.js';
import { loadWorkerSettings, type WorkerSettings } from '../../../worker/settings.js';
import type { CommandLine } from '../../cli/command-line.js';
import { CommandFailed } from '../../cli/errors.js';
import { EXIT } from '../../cli/exit-codes.js';
import { type Verdict, verdictsOf } from './check.js';
import { type ClockOffsets, examineClocks } from './clocks.js';
import { partnerChecks } from './partners.js';
import { storeCheck } from './stores.js';
import { temporalChecks } from './temporal.js';
import { weakSettings } from './weak-settings.js';

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

/** Runs all checks at once. Prints each as soon as those before it are printed, so that the order is always the same. */
async function examine(cli: CommandLine, print: Print): Promise<Verdict[]> {
  // They are read first, because nothing runs with a bad setting.
  const config = loadWorkerSettings(cli.env);
  const { webhooks } = loadReceiverSettings(cli.env);
  const senders = Object.fromEntries(WEBHOOK_PARTNERS.map((each) => [each, webhooks[each]?.senders ?? []]));
  const weak = await weakSettings(config, cli.env);
  const clocks: ClockOffsets = new Map();
  const clients: Closable[] = [];
  const temporal = connect(cli, config);
  const open = (place: string) => openStore(place, cli.env);
  const asking = [
    ...temporalChecks(temporal.client, config, clocks),
    ...partnerChecks({ config, env: cli.env, senders, clocks, clients }),
    storeCheck('document store', 'DOCUMENT_DIR', () => open(config.documentDir)),
    storeCheck('statement store', 'STATEMENT_DIR', () => open(config.statementDir)),
  ];
  try {
    const running = asking.map((check) => ({ name: check.name, verdicts: verdictsOf(check, cli.signal) }));
    const responses = Promise.all(running.map(({ verdicts }) => verdicts));
    const all = [
      ...running,
      { name: 'clocks', verdicts: responses.then(() => examineClocks(clocks)) },
      { name: 'weak setting', verdicts: Promise.resolve(weak) },
    ];
    // What is awaited later must not count as unhandled.
    for (const { verdicts } of all) verdicts.catch(() => undefined);
    const width = Math.max(...all.map(({ name }) => name.length));
    const found: Verdict[] = [];
    for (const { name, verdicts } of all) {
      for (const verdict of await verdicts) {
        print(cli, name, verdict, width);
        found.push(verdict);
      }
    }
    return found;
  } finally {
    await Promise.all([temporal.close(), ...clients.map((client) => client.close())]);
  }
}

/** A client for as long as the checks run. */
function connect(cli: CommandLine, config: WorkerSettings) {
  let connected: (client: Client) => void = () => undefined;
  let failed: (error: unknown) => void = () => undefined;
  let close: () => void = () => undefined;
  const client = new Promise<Client>((resolve, reject) => {
    connected = resolve;
    failed = reject;
  });
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const { env, signal } = cli;
  const session = withClient({ env, keys: config.payloadKeys, signal }, (each) => {
    connected(each);
    return closed;
  }).catch(failed);
  return {
    client,
    async close() {
      close();
      await session;
    },
  };
}
