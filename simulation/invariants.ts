import type { Client } from '@temporalio/client';
import { bankingClient } from '../src/partners/banking/client.js';
import { operationName } from '../src/partners/catalogue.js';
import { catalogue } from '../src/partners/systems.js';
import { allIn } from '../src/sandbox/faults.js';
import { stateOf } from '../src/temporal/onboardings.js';
import { contradicted, type Witness } from '../test/rigs/chaos/beliefs.js';
import type { Party } from '../test/rigs/chaos/cast.js';
import { auditOf } from '../test/rigs/chaos/ledger.js';
import { workersOf } from '../test/rigs/chaos/operator.js';
import { examined, killedAfterMark } from '../test/rigs/chaos/questions.js';
import { found } from '../test/rigs/privacy/markers.js';
import { MARKERS } from './markers.js';
import type { Network } from './network.js';
import { PARTNERS_URL, type Partners } from './partners.js';
import type { Service } from './service/service.js';
import type { World } from './world.js';

/** The end of a run, as the partners, Temporal and people see it. */
export interface End {
  readonly world: World;
  readonly cast: readonly Party[];
  readonly partners: Partners;
  readonly service: Service;
  readonly network: Network;
  readonly client: Client;
}

/** A sentence for each promise that was not kept. */
export async function broken(end: End): Promise<string[]> {
  const witnesses = await witnessesOf(end);
  return [
    ...(await unfinished(end, witnesses)),
    ...(await doubled(end)),
    ...(await believedWrongly(end, witnesses)),
    ...(await askedForNothing(end, witnesses)),
    ...leaked(end),
    ...disagreeing(end, witnesses),
  ];
}

/** Every onboarding ends as its partners decided. */
async function unfinished({ cast, service, client }: End, witnesses: readonly Witness[]): Promise<string[]> {
  const problems = cast.map(async ({ workflowId, outcome }) => {
    const run = service.latest(workflowId);
    if (run?.closed?.status === 'COMPLETED') {
      const result = (await client.workflow.getHandle(workflowId).result()) as { readonly outcome: string };
      return result.outcome === outcome ? [] : [`${workflowId} ended ${result.outcome}, not ${outcome}`];
    }
    const state = witnesses.find((witness) => witness.workflowId === workflowId)?.state;
    const open = state?.requirements.map(({ title }) => title).join(', ') || 'nothing';
    const activities = [...(run?.activities.values() ?? [])].map(
      ({ type, attempt }) => `${type} (${attempt})`,
    );
    return [
      `${workflowId} never ended: it asks ${open}, and waits for ${activities.join(', ') || 'nothing'}`,
    ];
  });
  return (await Promise.all(problems)).flat();
}

/** No write takes effect twice, none is missing, and none belongs to nobody. */
async function doubled({ cast, partners }: End): Promise<string[]> {
  const credentials = { username: 'sandbox', password: MARKERS.password, deviceToken: MARKERS.deviceToken };
  const bank = bankingClient({ url: PARTNERS_URL, ...credentials, deviceName: 'simulation', form: 'user' });
  const { wrong, unowned } = auditOf({ ledger: partners.ledger, tickets: await bank.listTickets({}) }, cast);
  return [...[...wrong].map(([{ externalId }, why]) => `${externalId}: ${why.join(', ')}`), ...unowned];
}

/** What workflows count as done is in the partners' ledger. */
async function believedWrongly({ partners }: End, witnesses: readonly Witness[]): Promise<string[]> {
  const { ledger } = partners;
  const shown = async <Value>(operation: string, place: string, field: string) => {
    const ids = new Set(ledger.filter((one) => one.operation === operation).map(({ id }) => Number(id)));
    const all = new Map<number, Value>();
    for (const id of ids) {
      const thing = await partners.control<Record<string, Value>>('GET', `/sandbox/${place}/${id}`);
      all.set(id, thing[field] as Value);
    }
    return all;
  };
  return contradicted(witnesses, {
    ...{ ledger, noteAnswer: MARKERS.noteAnswer },
    comments: await shown<readonly string[]>('request-underwriting-review', 'merchants', 'reviewComments'),
    accounts: await shown<string | null>('submit-business-account-holder', 'profiles', 'financialAccountId'),
  });
}

/** A question about a write is about a request that had left, or about a worker that was killed or stopped just before that. */
async function askedForNothing({ network, world }: End, witnesses: readonly Witness[]): Promise<string[]> {
  const iso = (at: number) => new Date(at).toISOString();
  const departures = network.left.map((one, seq) => ({
    ...one,
    seq,
    operation: operationOf(one.method, one.path),
  }));
  const asked = await examined(witnesses, async (operation, about) => {
    const hasAll = allIn(about);
    return departures
      .filter((one) => one.operation === operation && hasAll(one.text))
      .map(({ seq, at, path }) => ({ seq, at: iso(at), url: path, system: '', operation }));
  });
  const incidents = world.trace
    .filter(({ what }) => /^is (killed|frozen)/.test(what))
    .map(({ at, who, what }) => ({ at: iso(at), what: `${who} ${what.replace('frozen', 'killed')}` }));
  return asked
    .filter((question) => !question.request && killedAfterMark(question, incidents) === undefined)
    .map(
      ({ workflowId, title, doubt }) =>
        `${workflowId} asks about "${title}", and no request had left${doubt}`,
    );
}

const OPERATIONS = Object.values(catalogue()).flatMap((all) =>
  Object.entries(all).map(([key, { method, path }]) => ({
    ...{ name: operationName(key), method: method as string },
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  })),
);

function operationOf(method: string, path: string): string | undefined {
  const [address = ''] = path.split('?');
  return OPERATIONS.find((each) => each.method === method && each.pattern.test(address))?.name;
}

/** Nothing private is in what everybody sees. */
function leaked({ service }: End): string[] {
  const { dba: _, password: __, ...secret } = MARKERS;
  const seen = Buffer.from(JSON.stringify(service.runs.map(({ searchAttributes }) => searchAttributes)));
  return found(seen, secret).map((name) => `${name} is in a search attribute`);
}

/** Lists say what the onboardings themselves say. */
function disagreeing({ service }: End, witnesses: readonly Witness[]): string[] {
  return witnesses.flatMap(({ workflowId, state }) => {
    const { OnboardingStage: stage, ActionRequired: action } = attributesOf(service, workflowId);
    const isAsking = state.requirements.length > 0;
    return [
      ...(stage === state.stage ? [] : [`${workflowId} is ${state.stage}, and lists say ${stage}`]),
      ...(action === isAsking
        ? []
        : [`${workflowId} ${isAsking ? 'asks' : 'does not ask'}, and lists say ${action}`]),
    ];
  });
}

function attributesOf(service: Service, workflowId: string): Readonly<Record<string, unknown>> {
  return service.latest(workflowId)?.searchAttributes ?? {};
}

async function witnessesOf({ cast, client, service }: End): Promise<Witness[]> {
  const witnesses: Witness[] = [];
  for (const party of cast) {
    const states: { readonly workflowId: string; readonly state: Witness['state'] }[] = [];
    for (const workflowId of workersOf(party))
      if (service.latest(workflowId)) states.push({ workflowId, state: await stateOf(client, workflowId) });
    const mid = states.map(({ state }) => state.mid).find((each) => each !== undefined);
    witnesses.push(...states.map((each) => ({ ...each, party, mid })));
  }
  return witnesses;
}
