import { Client, Connection } from '@temporalio/client';
import pLimit from 'p-limit';
import { startDevServer, temporalCli } from '../../src/apps/demo/dev-server.js';
import { DEFAULT_TASK_QUEUE } from '../../src/messages/ids.js';
import { listedRequirements } from '../../src/messages/list-fields.js';
import { initialVisibility, SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { dataConverter, generatePayloadKey } from '../../src/temporal/payload-codec.js';
import { count } from '../../src/temporal/search.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { jsonLines, run } from '../../test/rigs/processes.js';
import { eventually } from '../../test/rigs/waiting.js';
import { keysFrom } from '../../test/rigs/worker-config.js';
import type { Bench } from '../bench.js';
import { type Line, line } from '../line.js';
import { inTurns, median, millisecondsOf } from '../timing.js';

/** The server lists what it was given a little later. */
const TIMEOUT_MS = 120_000;

const HOUR_MS = 3_600_000;

/**
 * `gangway inbox` compared with the list of the Temporal command, with 1,000 and with 10,000 onboardings that wait for a person.
 * No worker runs: each onboarding is started with the search attributes that it has when it waits.
 */
export async function* inbox(bench: Bench): AsyncGenerator<Line> {
  const server = await startDevServer();
  bench.atEnd(() => server.stop());
  const { address } = server;
  const keys = generatePayloadKey();
  const connection = await Connection.connect({ address });
  bench.atEnd(() => connection.close());
  const client = new Client({ connection, dataConverter: dataConverter(keysFrom(keys)) });
  await registerSearchAttributes(client);
  const env = { TEMPORAL_ADDRESS: address, PAYLOAD_KEYS: keys };
  const turns = bench.size(10, 2);
  const [some, many] = [bench.size(1_000, 10), bench.size(10_000, 30)];
  const temporal = await temporalCli();
  const gangway = (...args: string[]) => ran(process.execPath, ['dist/starter.js', 'inbox', ...args], env);
  const list = () => ran(temporal, ['workflow', 'list', '--limit', `${some}`, '--address', address], {});

  await startWaiting(client, some);
  const { length: rows } = jsonLines(await gangway('--json'));
  yield line({ what: `gangway inbox, ${some} wait`, figure: rows, unit: 'rows', goal: { atLeast: some } });
  const times = await inTurns(
    turns,
    () => millisecondsOf(gangway),
    () => millisecondsOf(list),
  );
  yield line({
    what: `gangway inbox, ${some} wait`,
    figure: median(times.ours),
    unit: 'ms',
    goal: { atMost: 3 },
    baseline: { what: `temporal workflow list --limit ${some}`, figure: median(times.other) },
  });

  await startWaiting(client, many - some);
  yield line({
    what: `gangway inbox --limit 0, ${many} wait`,
    figure: jsonLines(await gangway('--limit', '0', '--json')).length,
    unit: 'rows',
    goal: { atLeast: many },
  });
}

async function ran(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const finished = await run(command, args, env);
  if (finished.code !== 0) throw new Error(`${command} ended with ${finished.code}: ${finished.stderr}`);
  return finished;
}

/** Onboardings that wait for an answer, due within the next days. */
export async function startWaiting(client: Client, more: number): Promise<void> {
  const query = 'ActionRequired = true';
  const before = await count(client, query);
  const limit = pLimit(32);
  const start = (number: number) =>
    client.workflow.start('merchantBoarding', {
      workflowId: `merchant-boarding-m-${number}`,
      taskQueue: DEFAULT_TASK_QUEUE,
      args: [{}],
      ...waiting(number),
    });
  await Promise.all(Array.from({ length: more }, (_, index) => limit(() => start(before + index))));
  const isListed = (result: number) => result === before + more;
  await eventually(() => count(client, query), isListed, 'the list', TIMEOUT_MS);
}

function waiting(number: number) {
  const dueAt = new Date(Date.now() + (number % 96) * HOUR_MS + number);
  const { typedSearchAttributes, ...sight } = initialVisibility('merchantBoarding', {
    dba: `Shop ${number}`,
  });
  const requirement = {
    id: `note-${number}` as const,
    kind: 'underwriting-note' as const,
    title: '' as const,
    detail: '' as const,
    answers: [],
    raisedAt: new Date().toISOString(),
    dueAt: dueAt.toISOString(),
  };
  return {
    ...sight,
    typedSearchAttributes: [
      ...typedSearchAttributes.filter(({ key }) => key !== SEARCH_ATTRIBUTES.actionRequired),
      { key: SEARCH_ATTRIBUTES.actionRequired, value: true },
      { key: SEARCH_ATTRIBUTES.actionDueAt, value: dueAt },
      { key: SEARCH_ATTRIBUTES.requirements, value: listedRequirements([requirement]) },
    ],
  };
}
