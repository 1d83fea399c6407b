import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';
import type { PollProgress } from '../src/activities/poll.js';
import type { Config } from '../src/config.js';
import type { BusinessOnboardingOutcome } from '../src/messages/business-onboarding.js';
import type { BusinessOnboardingInput } from '../src/messages/business-onboarding-input.js';
import type { CustomerOnboardingOutcome } from '../src/messages/customer-onboarding.js';
import type { CustomerOnboardingInput } from '../src/messages/customer-onboarding-input.js';
import { AWAIT_STATUS_ACTIVITY_ID } from '../src/messages/ids.js';
import type { MerchantBoardingOutcome } from '../src/messages/merchant-boarding.js';
import type { MerchantBoardingInput } from '../src/messages/merchant-boarding-input.js';
import { type OnboardingState, stateQuery } from '../src/messages/onboarding-state.js';
import { type Answer, type Requirement, resolveRequirement } from '../src/messages/requirements.js';
import type { TerminalProvisioningInput } from '../src/messages/terminal-provisioning-input.js';
import type { SystemName } from '../src/partners/systems.js';
import type { LedgerEntry } from '../src/sandbox/ledger.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/sandbox/server.js';
import { dataConverter } from '../src/temporal/data-converter.js';
import {
  startBusinessOnboarding,
  startCustomerOnboarding,
  startMerchantBoarding,
} from '../src/temporal/onboardings.js';
import { generatePayloadKey, type PayloadKeys, parsePayloadKeys } from '../src/temporal/payload-keys.js';
import { createWorker } from '../src/worker/create-worker.js';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
});

export interface RigOptions {
  /** A Temporal server of the caller's own; the one that all test files share unless given. */
  readonly address?: string;
  readonly sandbox?: SandboxOptions;
  readonly poll?: { readonly minMs: number; readonly maxMs: number };
  /** Credentials of the boarding partner, `sandbox` unless given. */
  readonly user?: string;
  readonly password?: string;
  /** Who asks the banking partner, `sandbox` unless given; the password is the name. `null` to have it off. */
  readonly bankingUser?: string | null;
  readonly bankingPassword?: string;
  /** Where the banking partner is: the sandbox, unless given. */
  readonly bankingUrl?: string;
  /** As in `PAYLOAD_KEYS`; one of the rig's own unless given, '' to leave payloads in the clear. */
  readonly payloadKeys?: string;
  /** Names of accounts at the partners, which know us as they do without a name; none unless given. */
  readonly accounts?: readonly string[];
  /** The build that the worker runs; not versioned unless given. */
  readonly version?: Config['version'];
  /** No limits unless given. */
  readonly activitiesPerSecond?: Partial<Record<SystemName, number>>;
  /** Nobody is told anything unless given. */
  readonly events?: Config['events'];
  /** False to leave the worker to the test. */
  readonly worker?: boolean;
}

/**
 * A Temporal client, a sandbox and a worker, as real as in production, for one test file. The sandbox's underwriters
 * take a step with each status read, so that no step is missed and no test waits for a poll to come round.
 */
export interface Rig {
  readonly client: Client;
  readonly sandbox: SandboxControl;
  readonly taskQueue: string;
  readonly documentDir: string;
  readonly statementDir: string;
  /** Environment for a process of the project that should work on this rig. */
  readonly env: Record<string, string>;
  startWorker(overrides?: Partial<RigOptions>): Promise<RunningWorker>;
  board(input: MerchantBoardingInput): Promise<Onboarding<MerchantBoardingOutcome>>;
  onboardBusiness(input: BusinessOnboardingInput): Promise<Onboarding<BusinessOnboardingOutcome>>;
  onboard(
    input: CustomerOnboardingInput,
    options?: { again?: boolean },
  ): Promise<Onboarding<CustomerOnboardingOutcome>>;
  close(): Promise<void>;
}

/** Nobody to tell. */
export const NO_NEWS: Config['events'] = { secrets: [], toLoopback: true, destinations: [] };

export interface RunningWorker {
  stop(): Promise<void>;
}

export async function createRig(options: RigOptions = {}): Promise<Rig> {
  const address = options.address ?? inject('temporalAddress');
  const connection = await Connection.connect({ address });
  const payloadKeys = options.payloadKeys ?? generatePayloadKey();
  const client = new Client({ connection, dataConverter: dataConverter(keysFrom(payloadKeys)) });
  const native = await NativeConnection.connect({ address });
  const taskQueue = `test-${randomUUID()}`;
  const folder = await mkdtemp(join(tmpdir(), 'gangway-test-'));
  const documentDir = join(folder, 'documents');
  const statementDir = join(folder, 'statements');
  const sandbox = await startSandbox({ pace: { reads: 1 }, ...options.sandbox });
  const workers: RunningWorker[] = [];

  const rig: Rig = {
    client,
    sandbox: new SandboxControl(sandbox),
    taskQueue,
    documentDir,
    statementDir,
    env: {
      TEMPORAL_ADDRESS: address,
      PAYLOAD_KEYS: payloadKeys,
      GANGWAY_TASK_QUEUE: taskQueue,
      GANGWAY_POLL_MIN: '100ms',
      GANGWAY_POLL_MAX: '1s',
      GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0',
      BOARDING_URL: sandbox.url,
      BOARDING_USERNAME: 'sandbox',
      BOARDING_PASSWORD: 'sandbox',
      BANKING_URL: sandbox.url,
      BANKING_USERNAME: 'sandbox',
      BANKING_PASSWORD: 'sandbox',
      BANKING_DEVICE_TOKEN: 'd-1',
      PLANT_STORE_URL: sandbox.url,
      PLANT_STORE_TOKEN: 'sandbox',
      PAYMENTS_URL: sandbox.url,
      PAYMENTS_API_KEY: 'sandbox',
      PROCESSOR_URL: sandbox.url,
      PROCESSOR_API_KEY: 'sandbox',
      DOCUMENT_DIR: documentDir,
      STATEMENT_DIR: statementDir,
    },
    async startWorker(overrides = {}) {
      const {
        poll = { minMs: 50, maxMs: 500 },
        user = 'sandbox',
        password = user,
        bankingUser = 'sandbox',
        bankingPassword = bankingUser ?? '',
        bankingUrl = sandbox.url,
        payloadKeys: keys = payloadKeys,
        version,
        activitiesPerSecond = {},
        events = NO_NEWS,
        accounts = [],
      } = { ...options, ...overrides };
      const boarding = { url: sandbox.url, username: user, password };
      const banking =
        bankingUser === null
          ? undefined
          : {
              url: bankingUrl,
              username: bankingUser,
              password: bankingPassword,
              deviceToken: 'd-1',
              deviceName: 'test',
              form: 'user' as const,
            };
      const account = {
        ...{ boarding, banking, posNames: [], activitiesPerSecond, settingsPrefix: '' },
        plantStore: { url: sandbox.url, token: 'sandbox' },
        payments: { url: sandbox.url, apiKey: 'sandbox', environment: 'uat' as const },
        processor: { url: sandbox.url, apiKey: 'sandbox' },
      };
      const config = {
        ...{ ...account, taskQueue, version, poll, documentDir, statementDir, events },
        accounts: Object.fromEntries(accounts.map((name) => [name, account])),
        payloadKeys: keysFrom(keys),
      };
      const worker = await createWorker({ connection: native, namespace: 'default', config });
      const running = worker.run();
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= (async () => {
          worker.shutdown();
          await running;
        })();
        return stopped;
      };
      const handle = { stop };
      workers.push(handle);
      return handle;
    },
    async board(input) {
      const { workflowId: id } = await startMerchantBoarding(client, input, { taskQueue });
      return new Onboarding(client, id);
    },
    async onboardBusiness(input) {
      const { workflowId: id } = await startBusinessOnboarding(client, input, { taskQueue });
      return new Onboarding(client, id);
    },
    async onboard(input, more) {
      const { workflowId: id } = await startCustomerOnboarding(client, input, { taskQueue, ...more });
      return new Onboarding(client, id);
    },
    async close() {
      const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
      for await (const { workflowId } of client.workflow.list({ query })) {
        // It may have ended since it was listed.
        await client.workflow
          .getHandle(workflowId)
          .terminate()
          .catch(() => undefined);
      }
      await Promise.all(workers.map((worker) => worker.stop()));
      await sandbox.close();
      await native.close();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (options.worker !== false) await rig.startWorker();
  return rig;
}

function keysFrom(text: string): PayloadKeys | undefined {
  return text === '' ? undefined : parsePayloadKeys(text);
}

let count = 0;

/** A valid input, straight through underwriting; `scenario` makes it play another one. */
export function merchant(
  scenario?: string,
  more: Partial<MerchantBoardingInput> = {},
): MerchantBoardingInput {
  count += 1;
  return {
    externalId: `m-${randomUUID().slice(0, 8)}-${count}`,
    merchant: {
      dba: scenario ? `Corner Bakery [${scenario}]` : 'Corner Bakery',
      firstName: 'Ada',
      lastName: 'Baker',
      cashDiscount: 'No',
      pos: 'None',
    },
    agentProfileId: 101,
    boardingSettingsId: 11,
    dueInHours: 48,
    ...more,
  };
}

const HOLDER: BusinessOnboardingInput['holder'] = {
  email: 'ada@example.com',
  givenName: 'Ada',
  familyName: 'Baker',
  phone: '5185550100',
  ssn: '123456789',
  dateOfBirth: '1980-02-29T00:00:00Z',
  streetAddress: '1 Main Street',
  city: 'Albany',
  postalCode: '12207',
  state: 33,
  authorizingPersonTitle: 2,
  primaryAuthorizedStreetAddress: '1 Main Street',
  primaryAuthorizedPostalCode: '12207',
  primaryAuthorizedLocality: 'Albany',
  primaryAuthorizedState: 33,
  legalBusinessName: 'Baker LLC',
  doingBusinessAsName: 'Corner Bakery',
  employerIdentificationNumber: '123456789',
  businessPhone: '5185550101',
  percentageOwnership: 60,
};

/** A beneficial owner. */
export const OWNER: NonNullable<BusinessOnboardingInput['beneficialOwners']>[number] = {
  firstName: 'Bo',
  lastName: 'Baker',
  email: 'bo@example.com',
  homePhone: '5185550102',
  ssn: '123456788',
  dob: '1985-01-01T00:00:00Z',
  homeAddress: '2 Main Street',
  city: 'Albany',
  state: 33,
  zipCode: '12207',
  percentageOwnership: 40,
};

/** A holder of a name of its own; `scenario` makes the bank play another one. */
export function holder(
  scenario?: string,
  more: Partial<BusinessOnboardingInput['holder']> = {},
): BusinessOnboardingInput['holder'] {
  count += 1;
  const name = `Bakery ${randomUUID().slice(0, 8)}`;
  return { ...HOLDER, doingBusinessAsName: scenario ? `${name} [${scenario}]` : name, ...more };
}

/** A valid input, straight to a financial account; `scenario` makes the bank play another one. */
export function business(
  scenario?: string,
  more: Partial<BusinessOnboardingInput> = {},
): BusinessOnboardingInput {
  count += 1;
  return {
    externalId: `b-${randomUUID().slice(0, 8)}-${count}`,
    holder: holder(scenario),
    dueInHours: 48,
    ...more,
  };
}

/** A valid input whose merchant and business are of the same name, by which the sandbox ties them. */
export function customer(
  scenarios: { readonly boarding?: string; readonly business?: string } = {},
  more: Partial<CustomerOnboardingInput> = {},
): CustomerOnboardingInput {
  const { externalId, ...boarding } = merchant();
  const name = `Bakery ${randomUUID().slice(0, 8)}`;
  const called = (scenario: string | undefined) => (scenario ? `${name} [${scenario}]` : name);
  return {
    externalId: externalId.replace(/^m/, 'c'),
    boarding: { ...boarding, merchant: { ...boarding.merchant, dba: called(scenarios.boarding) } },
    business: {
      holder: holder(undefined, { doingBusinessAsName: called(scenarios.business) }),
      dueInHours: 48,
    },
    onDecline: 'continue',
    ...more,
  };
}

/** What a customer's merchant gets at the payments platform. */
export function terminal(
  more: Partial<TerminalProvisioningInput['provisionTerminal']> = {},
): TerminalProvisioningInput['provisionTerminal'] {
  const address = { street_line1: '1 Main Street', city: 'Albany', state: 'NY', zip: '12207' };
  return { account: { address }, terminal: { name: 'Counter' }, dueInHours: 48, ...more };
}

/** An onboarding under way, as a test looks at it. */
export class Onboarding<Outcome = { readonly outcome: string }> {
  readonly handle: WorkflowHandle;
  private readonly converter: LoadedDataConverter;

  constructor(
    client: Client,
    readonly workflowId: string,
  ) {
    this.handle = client.workflow.getHandle(workflowId);
    this.converter = client.options.loadedDataConverter;
  }

  state(): Promise<OnboardingState> {
    return this.handle.query(stateQuery);
  }

  outcome(): Promise<Outcome> {
    return this.handle.result() as Promise<Outcome>;
  }

  /** Waits until `reached` holds of the state. */
  async until(reached: (state: OnboardingState) => boolean, what = 'the state'): Promise<OnboardingState> {
    return eventually(() => this.state(), reached, what);
  }

  /** The status poll, as the server has it. */
  async poll() {
    const { raw } = await this.handle.describe();
    return raw.pendingActivities?.find(({ activityId }) => activityId === AWAIT_STATUS_ACTIVITY_ID);
  }

  /** Waits until the status poll sleeps after `reads` reads. */
  async asleepAfter(reads: number): Promise<void> {
    await eventually(
      () => this.reads(),
      (counted) => counted >= reads,
      `${reads} reads`,
    );
  }

  /** How many reads the status poll has done, 0 while it does not sleep. */
  async reads(): Promise<number> {
    const poll = await this.poll();
    if (!poll?.lastFailure || !poll.nextAttemptScheduleTime) return 0;
    const [last] = await decodeArrayFromPayloads(this.converter, poll.heartbeatDetails?.payloads);
    const { polls = 0, attempt = 0 } = (last ?? {}) as Partial<PollProgress>;
    // The one it sleeps before is numbered already.
    return polls + Math.max((poll.attempt ?? 0) - 1 - attempt, 0);
  }

  /** Waits for an open requirement of a kind. */
  async requirement(kind: Requirement['kind']): Promise<Requirement> {
    const of = ({ requirements }: OnboardingState) =>
      requirements.find((requirement) => requirement.kind === kind);
    const found = of(await this.until((state) => of(state) !== undefined, `a requirement ${kind}`));
    if (!found) throw new Error('unreachable');
    return found;
  }

  resolve(requirementId: string, answer: Answer, actor = 'olga', reason = 'because') {
    return this.handle.executeUpdate(resolveRequirement, {
      args: [{ requirementId, answer, actor, reason }],
    });
  }

  /** The events of the history, by kind and workflow tasks aside: a busy machine may need more of those. */
  async written(): Promise<readonly string[]> {
    const { events } = await this.handle.fetchHistory();
    const names = (events ?? []).flatMap((event) =>
      Object.keys(event).filter((key) => key.endsWith('Attributes')),
    );
    return names.filter((name) => !name.startsWith('workflowTask')).sort();
  }

  async events(): Promise<readonly string[]> {
    const { timeline } = await this.state();
    return timeline.map(({ event }) => event);
  }
}

/** Asks again until the answer is the wanted one. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  what: string,
  milliseconds = 20_000,
): Promise<T> {
  for (const until = Date.now() + milliseconds; ; await sleep(50)) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > until) {
      throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    }
  }
}

/** The sandbox's own controls, over HTTP as anyone would use them. */
export class SandboxControl {
  constructor(private readonly sandbox: Sandbox) {}

  get url(): string {
    return this.sandbox.url;
  }

  async ledger(wanted: Partial<Record<'operation' | 'id' | 'guid', string>> = {}): Promise<LedgerEntry[]> {
    return this.#json(`/sandbox/ledger?${new URLSearchParams(wanted)}`);
  }

  /** Names of the writes that took effect for a merchant's `externalId`, in order. */
  async writes(guid: string): Promise<string[]> {
    return (await this.ledger({ guid })).map(({ operation }) => operation);
  }

  merchant(id: number): Promise<Record<string, unknown>> {
    return this.#json(`/sandbox/merchants/${id}`);
  }

  transition(id: number, change: Record<string, unknown>): Promise<unknown> {
    return this.#json(`/sandbox/merchants/${id}/transition`, 'POST', change);
  }

  profile(id: number): Promise<Record<string, unknown>> {
    return this.#json(`/sandbox/profiles/${id}`);
  }

  transitionProfile(id: number, change: Record<string, unknown>): Promise<unknown> {
    return this.#json(`/sandbox/profiles/${id}/transition`, 'POST', change);
  }

  plan(fault: string, operation?: string, more: Record<string, unknown> = {}): Promise<unknown> {
    return this.#json('/sandbox/faults', 'POST', { fault, operation, ...more });
  }

  pace(pace: string): Promise<unknown> {
    return this.#json('/sandbox/pace', 'PUT', { pace });
  }

  async #json<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
    const response = await fetch(this.sandbox.url + path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
