import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/apps/sandbox/server.js';
import type { MerchantBoardingInput } from '../../../src/messages/inputs.js';
import { gangway } from '../../rigs/command.js';
import { merchant } from '../../rigs/inputs.js';
import type { Onboarding } from '../../rigs/onboarding.js';
import { launch, type RunningProcess } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { SandboxControl } from '../../rigs/sandbox-control.js';
import { type TcpProxy, tcpProxy } from '../../rigs/tcp-proxy.js';

/** The time limit on a machine that runs other tests next to four workers. */
const TIMEOUT_MS = 300_000;

/** Activities in a second: one in fifty seconds. */
const TIGHT_LIMIT = '0.02';

let rig: Rig;
let northsSandbox: Sandbox;
let north: SandboxControl;
/** To acme's partner. */
let wire: TcpProxy;
let workers: { readonly acme: RunningProcess[]; readonly north: RunningProcess[] } = { acme: [], north: [] };

beforeAll(async () => {
  rig = await createRig({ worker: false, sandbox: { password: 'of-acme' } });
  northsSandbox = await startSandbox({ pace: { reads: 1 }, password: 'of-north' });
  north = new SandboxControl(northsSandbox.url);
  wire = await tcpProxy(new URL(rig.sandbox.url).host);
  const common = Object.fromEntries(
    Object.entries(rig.env).filter(([name]) => /^(TEMPORAL|GANGWAY|PAYLOAD|DOCUMENT|STATEMENT)_/.test(name)),
  );
  const acmes = {
    ...common,
    GANGWAY_ACCOUNTS: 'acme',
    ...settings('ACME', `http://${wire.address}`, 'of-acme'),
  };
  const norths = {
    ...common,
    GANGWAY_ACCOUNTS: 'north-iso,tight',
    ...settings('NORTH_ISO', north.url, 'of-north'),
    ...settings('TIGHT', north.url, 'of-north'),
    TIGHT_BOARDING_ACTIVITIES_PER_SECOND: TIGHT_LIMIT,
  };
  const twoOf = (set: Record<string, string>) =>
    Promise.all([1, 2].map(() => launch('worker', set, 'worker is ready')));
  const started = await Promise.all([twoOf(acmes), twoOf(norths)]);
  workers = { acme: started[0], north: started[1] };
}, TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([...workers.acme, ...workers.north].map(({ stop }) => stop('SIGKILL')));
  await wire.close();
  await rig.close();
  await northsSandbox.close();
});

function settings(prefix: string, url: string, password: string): Record<string, string> {
  return {
    [`${prefix}_BOARDING_URL`]: url,
    [`${prefix}_BOARDING_USERNAME`]: 'sandbox',
    [`${prefix}_BOARDING_PASSWORD`]: password,
    [`${prefix}_BANKING_URL`]: url,
    [`${prefix}_BANKING_USERNAME`]: 'sandbox',
    [`${prefix}_BANKING_PASSWORD`]: password,
    [`${prefix}_BANKING_DEVICE_TOKEN`]: 'd-1',
  };
}

const merchants = (count: number, account: string) =>
  Array.from({ length: count }, () => merchant(undefined, { account }));

/** What it asks of its partner first may be asked again, so that nothing is uncertain about it. */
function acmesByName(): MerchantBoardingInput {
  const { agentProfileId: _, ...input } = merchant(undefined, { account: 'acme', agent: 'Harbor Agents' });
  return input;
}

const start = (inputs: readonly MerchantBoardingInput[]) =>
  Promise.all(inputs.map((each) => rig.board(each)));

const outcomes = async (started: readonly Onboarding<{ readonly outcome: string }>[]) =>
  Promise.all(started.map(async (each) => (await each.outcome()).outcome));

async function countOfEnded(started: readonly Onboarding[]): Promise<number> {
  const described = await Promise.all(started.map(({ handle }) => handle.describe()));
  return described.filter(({ status }) => status.name === 'COMPLETED').length;
}

/** IDs of the processes on which the activities of a workflow ran. */
async function processesOf({ handle }: Onboarding): Promise<(number | undefined)[]> {
  const { events } = await handle.fetchHistory();
  const identities = (events ?? []).flatMap(
    ({ activityTaskStartedEventAttributes: run }) => run?.identity ?? [],
  );
  return identities.map((identity) => Number.parseInt(identity, 10));
}

const guids = async (sandbox: SandboxControl) =>
  (await sandbox.ledger({ operation: 'create-merchant' })).map(({ guid }) => guid);

describe('two accounts with two workers each', { timeout: TIMEOUT_MS }, () => {
  it('are boarded each at its own partner, with its own credentials, by its own workers', async () => {
    const inputs = { acme: merchants(2, 'acme'), north: merchants(2, 'north-iso') };
    const started = { acme: await start(inputs.acme), north: await start(inputs.north) };
    // Where one's credentials came to the other's partner, nobody would be let in, and a person asked.
    expect(await outcomes([...started.acme, ...started.north])).toEqual(Array(4).fill('boarded'));
    expect((await guids(rig.sandbox)).sort()).toEqual(inputs.acme.map(({ externalId }) => externalId).sort());
    expect((await guids(north)).sort()).toEqual(inputs.north.map(({ externalId }) => externalId).sort());
    for (const whose of ['acme', 'north'] as const) {
      const ran = new Set((await Promise.all(started[whose].map(processesOf))).flat());
      expect(workers[whose].map(({ child }) => child.pid)).toEqual(expect.arrayContaining([...ran]));
    }
  });

  it('do not wait for a partner of the other that hangs, and go on where it hung', async () => {
    wire.cut();
    const hanging = await start(Array.from({ length: 4 }, acmesByName));
    const others = await start(merchants(6, 'north-iso'));
    expect(await outcomes(others)).toEqual(Array(6).fill('boarded'));
    expect(await countOfEnded(hanging)).toBe(0);
    wire.mend();
    expect(await outcomes(hanging)).toEqual(Array(4).fill('boarded'));
  });

  it('are limited each by its own limit, also on the same workers', async () => {
    const limited = await start(merchants(5, 'tight'));
    // Each of these calls its partner more often than the limit of the other lets five minutes through.
    for (const count of [4, 4]) {
      const others = await start(merchants(count, 'north-iso'));
      expect(await outcomes(others)).toEqual(Array(count).fill('boarded'));
    }
    expect(await countOfEnded(limited)).toBe(0);
    await Promise.all(limited.map(({ handle }) => handle.terminate()));
  });

  it('are called each by its name', async () => {
    const env = { ...rig.env, GANGWAY_ACCOUNTS: 'acme,north-iso' };
    const args = ['call', 'boarding', 'list-agent-profiles', '--partner-account', 'north-iso', '--json'];
    const { code, stdout } = await gangway(env, args);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ id: 101 }, { id: 102 }]]);
    const tickets = ['call', 'banking', 'list-new-tickets', '--table', '--partner-account', 'north-iso'];
    expect(await gangway(env, tickets)).toMatchObject({ code: 0, stdout: 'none\n' });
  });
});
