#!/usr/bin/env node
/**
 * Runs all of Gangway with one command: a Temporal server with its Web UI, the sandbox, a worker, a receiver, the console, the page
 * for merchants, and a codec server that decrypts payloads for the Web UI. `gangway` and signed events start the onboardings of
 * examples/. An operator answers their requirements, and a merchant answers one through a link. Exit code 0 only if each onboarding
 * ends with its scenario's outcome. At a terminal, it then leaves an onboarding to the viewer, and everything runs until Ctrl-C.
 */
import '../../platform/process/node-version.js';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { SCOPES } from '../../messages/actors.js';
import { workflowId } from '../../messages/ids.js';
import type { MerchantBoardingOutcome } from '../../messages/onboardings.js';
import type { OutboundEventType } from '../../messages/outbound-events.js';
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { queryState, waitForResult } from '../../temporal/find-onboarding.js';
import { dataConverter, generatePayloadKey, parsePayloadKeys } from '../../temporal/payload-codec.js';
import { searchOnboardings, typesOf } from '../../temporal/search.js';
import { shellWord } from '../command/cli/arguments.js';
import { Printer } from '../command/cli/output.js';
import { newClient } from '../receiver/clients.js';
import { TOTP_SECRET } from '../sandbox/banking/users.js';
import { sandboxAccount } from '../sandbox/systems.js';
import { freePort, startDevServer } from './dev-server.js';
import { MerchantBrowser } from './merchant-browser.js';
import {
  type Asked,
  answerTo,
  CAST,
  COLLEAGUES,
  type Crm,
  deleteData,
  isForMerchant,
  type Part,
  type Process,
  ROOT,
  readInbox,
  runGangway,
  start,
  startCrm,
  startPlayground,
  takeFolder,
  VOIDED_CHECK,
  writeSettings,
  YOURS,
} from './parts.js';

/** Longer than any scenario takes, so a hanging demo ends. */
const TIMEOUT_MS = 240_000;

const FOLDER = join(ROOT, '.cache', 'demo');

const printer = new Printer(process);

const running: Process[] = [];

async function main(): Promise<number> {
  // The printed commands have paths within the checkout.
  process.chdir(ROOT);
  await takeFolder(FOLDER);
  running.push({ stop: () => deleteData(FOLDER) });

  const everything = await startEverything();
  const { env, address, receiverUrl, crm, apiToken } = everything;
  const settings = await writeSettings(FOLDER, { ...env, API_URL: `${receiverUrl}/v1`, API_TOKEN: apiToken });
  const connection = await Connection.connect({ address });
  const keys = parsePayloadKeys(env['PAYLOAD_KEYS'] ?? '');
  const client = new Client({ connection, dataConverter: dataConverter(keys) });
  await onboardEveryone(env, crm, receiverUrl);
  await untilAllHaveEnded(client, env);
  const allAsExpected = (await report(client)) && (await receivedAll(crm));
  if (process.stdout.isTTY) {
    const questions = await startPlayground(client, env, FOLDER);
    printer.line('\nEverything keeps running until Ctrl-C.');
    leaveToYou(client, questions, settings, everything);
    await new Promise(() => undefined);
  }
  await connection.close();
  return allAsExpected ? 0 : 1;
}

/** Shows how to finish the last onboarding, and its outcome when it has ended. */
function leaveToYou(
  client: Client,
  questions: readonly Asked[],
  settings: string,
  { consoleUrl, env, others }: Awaited<ReturnType<typeof startEverything>>,
): void {
  const { name, externalId } = YOURS;
  const id = workflowId('merchantBoarding', externalId);
  printer.prose(`\n${name} is yours: the underwriters ask two questions, and it waits for your answers.`);
  printer.line(`Answer them in a browser: ${consoleUrl}/onboardings/${id}`);
  printer.prose(
    `To let the merchant answer, open a question there, choose “Ask the merchant”, and open the link, which begins with ${env['LINK_URL']}. A merchant can send ${join(ROOT, VOIDED_CHECK)}.`,
  );
  printer.prose('You can hand a question over in the console, and answer it as a colleague:');
  for (const { name, role, at } of others) printer.line(`  as ${name}, ${role}: http://${at}`);
  printer.line('Or in another terminal, with the settings of this demo:\n');
  printer.line(`. ${shellWord(settings)}\ngangway inbox\ngangway status ${externalId}`);
  printer.line('\nOr as another program does, with the token in these settings (docs/api.md):\n');
  printer.line('curl -H "Authorization: Bearer $API_TOKEN" "$API_URL/requirements"');
  printer.line('\nTo finish it, answer each question:');
  for (const { question, command } of questions) {
    printer.prose(`\n${question}`);
    printer.line(command);
  }
  printer.line('\nIts outcome appears here.');
  waitForResult<MerchantBoardingOutcome>(client, id).then(
    (ended) => {
      const mid = ended.outcome === 'boarded' ? `: mid ${ended.mid}` : '';
      printer.line(`\n${name} ${ended.outcome}${mid}. Ctrl-C ends the demo.`);
    },
    // The server has stopped.
    () => undefined,
  );
}

async function startEverything() {
  printer.line(
    'Starting a Temporal server with its Web UI, the sandbox, a worker, a receiver, the console, the page for merchants and a codec server ...',
  );
  // The ports are the defaults of the settings, or other ones if those are in use.
  const codecAddress = `127.0.0.1:${await freePort(8083)}`;
  // The Web UI of a development server sends no token, so the address contains one.
  const codecToken = randomBytes(32).toString('hex');
  const codecEndpoint = `http://${codecAddress}/${codecToken}`;
  const server = await startDevServer({
    port: 7233,
    codecEndpoint,
    report: (line) => printer.line(`  ${line}`),
  });
  running.push(server);
  const sandboxPort = await freePort(4010);
  const healthPort = await freePort(8081);
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const receiverAddress = `127.0.0.1:${await freePort(8082)}`;
  const receiverUrl = `http://${receiverAddress}`;
  const consoleAddress = `127.0.0.1:${await freePort(8085)}`;
  const consoleUrl = `http://${consoleAddress}`;
  const others = await Promise.all(
    COLLEAGUES.map(async (who, index) => ({ ...who, at: `127.0.0.1:${await freePort(8087 + index)}` })),
  );
  const linkAddress = `127.0.0.1:${await freePort(8086)}`;
  const linkUrl = `http://${linkAddress}`;
  const crmPort = await freePort();
  const eventSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const api = newClient('demo', SCOPES, undefined);
  const page = newClient('merchants', ['link'], undefined);
  const writeLines = (name: string, values: readonly object[]) =>
    writeFile(join(FOLDER, name), values.map((each) => JSON.stringify(each)).join('\n'), { mode: 0o600 });
  await writeLines('people.jsonl', COLLEAGUES);
  await writeLines('api-clients.jsonl', [api.client, page.client]);
  const env: NodeJS.ProcessEnv = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: 'default',
    GANGWAY_UI_URL: server.uiUrl,
    PAYLOAD_KEYS: generatePayloadKey(),
    RECEIVER_ADDRESS: receiverAddress,
    RECEIVER_SECRETS: eventSecret,
    API_CLIENTS_FILE: join(FOLDER, 'api-clients.jsonl'),
    GANGWAY_PEOPLE_FILE: join(FOLDER, 'people.jsonl'),
    EVENTS_URLS: `http://127.0.0.1:${crmPort}`,
    EVENTS_SECRETS: eventSecret,
    EVENTS_TO_LOOPBACK: 'true',
    CONSOLE_ADDRESS: consoleAddress,
    LINK_URL: linkUrl,
    CODEC_ADDRESS: codecAddress,
    CODEC_TOKENS: codecToken,
    CODEC_TOKEN_IN_PATH: 'true',
    CODEC_UI_ORIGIN: server.uiUrl,
    GANGWAY_FEE_PLANS: join(ROOT, 'examples/fee-plans.json'),
    GANGWAY_POLL_MIN: '500ms',
    GANGWAY_POLL_MAX: '2s',
    GANGWAY_HEALTH_ADDRESS: `127.0.0.1:${healthPort}`,
    SANDBOX_ADDRESS: `127.0.0.1:${sandboxPort}`,
    SANDBOX_PACE: '1500ms',
    ...sandboxAccount(sandboxUrl),
    BANKING_TOTP_SECRET: TOTP_SECRET,
    DOCUMENT_DIR: join(FOLDER, 'documents'),
    STATEMENT_DIR: join(FOLDER, 'statements'),
  };
  const ofPage = {
    LINK_ADDRESS: linkAddress,
    LINK_URL: linkUrl,
    LINK_COMPANY: 'Acme Payments',
    LINK_API_URL: receiverUrl,
    LINK_API_TOKEN: page.token,
  };
  const startLogged = (name: Parameters<typeof start>[0], probe: string) =>
    // Strangers use the page, so its process gets no key.
    start(name, name === 'link' ? ofPage : env, join(FOLDER, `${name}.log`), probe);
  const [sandbox, codecServer] = await Promise.all([
    startLogged('sandbox', `${sandboxUrl}/sandbox/scenarios`),
    startLogged('codec-server', `http://${codecAddress}/decode`),
    runGangway(env, ['setup']),
  ]);
  running.push(sandbox, codecServer);
  const health = `http://127.0.0.1:${healthPort}/readyz`;
  const crm = await startCrm(crmPort, eventSecret);
  running.push(crm);
  const [worker, receiver, ...pages] = await Promise.all([
    startLogged('worker', health),
    startLogged('receiver', `${receiverUrl}/healthz`),
    startLogged('console', `${consoleUrl}/healthz`),
    startLogged('link', `${linkUrl}/healthz`),
    // A second person is needed to hand requirements over and to confirm proposed answers.
    ...others.map(({ id, at: CONSOLE_ADDRESS }) => {
      const own = { ...env, CONSOLE_ADDRESS, CONSOLE_PERSON: id };
      return start('console', own, join(FOLDER, `console-${id}.log`), `http://${CONSOLE_ADDRESS}/healthz`);
    }),
  ]);
  running.push(worker, receiver, ...pages);
  const [ui, apiUrl] = [server.uiUrl, `${receiverUrl}/v1`];
  printer.line(`  console  ${consoleUrl}\n  Web UI   ${ui}\n  API      ${apiUrl}\n  links    ${linkUrl}\n`);
  return { others, env, address: server.address, receiverUrl, consoleUrl, crm, apiToken: api.token };
}

async function onboardEveryone(env: NodeJS.ProcessEnv, crm: Crm, receiverUrl: string): Promise<void> {
  for (const { command, file } of CAST) {
    if (command === 'event') {
      const type = 'customer.onboarding.requested.v1';
      printer.line(`POST ${receiverUrl}/events ${type}, signed, with ${file}`);
      await crm.send(receiverUrl, type, JSON.parse(await readFile(join(ROOT, file), 'utf8')));
    } else {
      printer.line(`$ gangway ${command} ${file}`);
      await runGangway(env, [command, file]);
    }
  }
  printer.line('');
}

/** Shows the progress of all onboardings, and answers requirements, until all have ended. */
async function untilAllHaveEnded(client: Client, env: NodeJS.ProcessEnv): Promise<void> {
  const lines = new Map<string, string>();
  for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await sleep(1_000)) {
    const all = await Array.fromAsync(searchOnboardings(client, { types: typesOf(ONBOARDINGS) }));
    for (const { workflowId: id, stage = '', partnerStatus } of all.reverse()) {
      const now = partnerStatus ? `${stage} (${partnerStatus})` : stage;
      if (lines.get(id) !== now) printer.line(`  ${id.padEnd(36)} ${now}`);
      lines.set(id, now);
    }
    if (all.every(({ state }) => state !== 'running')) return;
    if (all.some(({ requirements }) => requirements.length > 0)) await answerEverything(env);
  }
  printer.note(`not every onboarding has ended after ${TIMEOUT_MS / 1_000} s; see .cache/demo/worker.log`);
}

async function answerEverything(env: NodeJS.ProcessEnv): Promise<void> {
  for (const { workflowId: of, id, kind, detail } of await readInbox(env)) {
    const answer = answerTo(kind, detail);
    if (!answer) continue;
    printer.prose(`\n${of} asks: ${detail.replace(/\s+/g, ' ')}`);
    if (isForMerchant(of, answer)) await askMerchant(env, of, id);
    else await show(env, ['resolve', of, id, ...answer]);
    printer.line('');
  }
}

/** Runs `gangway`, and prints the command. */
async function show<Line>(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Line | undefined> {
  printer.line(`$ gangway ${args.map(shellWord).join(' ')}`);
  return (await runGangway<Line>(env, args))[0];
}

/** Asks the merchant through a link, lets it answer on its page, and confirms the answer. */
async function askMerchant(env: NodeJS.ProcessEnv, of: string, id: string): Promise<void> {
  const question = ['--document', 'voided check', '--text', 'Please send us a voided check.'];
  const link = await show<{ readonly url: string }>(env, ['ask', of, id, ...question]);
  const merchant = new MerchantBrowser(link?.url ?? '');
  await merchant.send('begin');
  const { documents } = await merchant.upload('voided-check.pdf', await readFile(join(ROOT, VOIDED_CHECK)));
  const { heading } = await merchant.send('propose', {
    document: documents[0] ?? '',
    remark: 'As you asked.',
  });
  printer.line(`  the merchant opens the link, sends voided-check.pdf, and reads: ${heading}`);
  await show(env, ['confirm', of, id, '--yes']);
}

/** Prints the table of results. Returns whether each onboarding ended as expected. */
async function report(client: Client): Promise<boolean> {
  let surprises = 0;
  const reported = CAST.map(async ({ type, externalId, outcome }) => {
    const id = workflowId(type, externalId);
    const state = await queryState(client, id);
    const ended = state.outcome ?? `${state.stage}, not ended`;
    const isSurprise = state.outcome !== outcome;
    if (isSurprise) surprises += 1;
    const text = isSurprise ? `${ended} (expected ${outcome})` : ended;
    return [id, text, state.mid ?? '-', state.financialAccountId ?? '-'];
  });
  printer.line('');
  printer.table(['workflow', 'outcome', 'mid', 'bank account'], await Promise.all(reported));
  printer.prose(
    'A merchant gets a mid, and a business a bank account if its input has openFinancialAccount. - stands for neither.',
  );
  const allAsExpected = 'Each onboarding ended with the outcome of its scenario.';
  printer.line(`\n${surprises === 0 ? allAsExpected : `${surprises} did not end as expected.`}`);
  return surprises === 0;
}

/** The time limit for events to arrive after the last onboarding has ended. */
const EVENTS_TIMEOUT_MS = 30_000;

async function receivedAll({ received }: Crm): Promise<boolean> {
  const ofType = (wanted: OutboundEventType) => [...received.values()].filter(({ type }) => type === wanted);
  const isMissing = ({ type, externalId }: Part) =>
    !ofType('onboarding.completed.v1').some(({ subject }) => subject === workflowId(type, externalId));
  for (const until = Date.now() + EVENTS_TIMEOUT_MS; CAST.some(isMissing); await sleep(100)) {
    if (Date.now() < until) continue;
    printer.line('Not all outbound events were delivered; see .cache/demo/worker.log');
    return false;
  }
  printer.line(
    `The events of all onboardings arrived at the system next to Gangway: ${received.size} of them.`,
  );
  return true;
}

let stopped: Promise<void> | undefined;

/** Stops everything, last started first, then deletes the data. Further calls wait for the first one. */
function stopEverything(): Promise<void> {
  stopped ??= Promise.resolve().then(async () => {
    for (const each of running.reverse()) await each.stop();
  });
  return stopped;
}

let interrupted = false;

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    process.exitCode = exitCode;
    // A second signal does not wait: the exit kills what still runs.
    if (interrupted) process.exit();
    interrupted = true;
    printer.note('\nstopping ...');
    // Running steps would continue to print commands.
    process.stdout.write = () => true;
    stopEverything()
      .then(() => printer.note('stopped; the logs remain in .cache/demo'))
      .finally(() => process.exit())
      .catch(() => undefined);
  });
}

try {
  const exitCode = await main();
  if (!interrupted) process.exitCode = exitCode;
} catch (error) {
  // An interrupted demo fails in many ways, none of which matters.
  if (!interrupted) {
    printer.note(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
await stopEverything();
// A pipe that is read slowly has not taken all of the output yet.
process.stdout.write('', () => process.exit());
