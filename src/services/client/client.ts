import type { Readable } from 'node:stream';
import { Client, type Connection } from '@temporalio/client';
import type {
  Confirmation,
  ConfirmationReceipt,
  ProposalReceipt,
  Withdrawal,
  WithdrawalReceipt,
} from '../../messages/claims.js';
import { partsOfId } from '../../messages/ids.js';
import type { BusinessToOnboard, CustomerToOnboard, MerchantToBoard } from '../../messages/inputs.js';
import { omitUndefined } from '../../messages/objects.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { DocumentRef, Resolution, ResolutionReceipt } from '../../messages/requirements.js';
import { ONBOARDINGS } from '../../messages/workflow-types.js';
import { Deadline } from '../../platform/http/deadline.js';
import { besideOwn, openClient, requireKeys, temporalSettings } from '../../temporal/connection.js';
import {
  describe,
  findOnboarding,
  queryState,
  requestCancellation,
  UnknownOnboarding,
} from '../../temporal/find-onboarding.js';
import type { Kind } from '../../temporal/kinds/define-kind.js';
import { dataConverter, type PayloadKeys } from '../../temporal/payload-codec.js';
import { type Filter, type Listed, searchOnboardings, typesOf } from '../../temporal/search.js';
import type { Started } from '../../temporal/start.js';
import { isNotFound } from '../../temporal/unavailable.js';
import {
  EndedOnboarding,
  sendConfirmation,
  sendProposal,
  sendResolution,
  sendWithdrawal,
} from '../inbox/send-answer.js';
import { type OpenRequirement, readWaits } from '../inbox/waiting-state.js';
import type { ClientSettings } from './settings.js';
import {
  type Advice,
  awaitOutcome,
  type Outcome,
  type OutcomeOptions,
  reportRequirements,
  StillRunning,
  Watching,
  type WatchOptions,
} from './watching.js';

/** Options for the start of an onboarding. */
export interface OnboardingOptions {
  /** Starts a new workflow if the first one with this `externalId` has ended. Default: false. */
  readonly again?: boolean | undefined;
  /** The person or program that starts it, for people to see. */
  readonly actor?: string | undefined;
}

/** Options of a client. */
export interface GangwayOptions {
  /** Settings by name, as in docs/configuration.md. Default: the environment of the process. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /**
   * A Temporal client whose connection, namespace and interceptors replace `TEMPORAL_*`. Its data converter is not used, because
   * Gangway's workers expect encryption with `PAYLOAD_KEYS`.
   */
  readonly client?: Client;
}

/**
 * Connects to Temporal, and returns a Gangway client.
 *
 * @throws {BadSetting} for an invalid setting, or without `PAYLOAD_KEYS` if the Temporal server is not on this machine
 * @throws {TemporalUnavailable} if Temporal does not respond, or rejects the credentials
 */
export async function gangwayClient({
  settings: environment = process.env,
  client,
}: GangwayOptions = {}): Promise<GangwayClient> {
  const env: NodeJS.ProcessEnv = { ...environment };
  const { loadClientSettings } = await import('./settings.js');
  const settings = loadClientSettings(env);
  const { payloadKeys: keys } = settings;
  requireKeys(client ? addressOf(client) : temporalSettings(env).connectionOptions.address, keys);
  if (client) return new GangwayClient({ temporal: encrypting(client, keys), settings, env });
  const { client: temporal, close } = await openClient({ env, keys });
  return new GangwayClient({ temporal, settings, env, close });
}

/** Returns the server's address; '' if the connection does not reveal it, as in a worker. '' counts as another machine. */
function addressOf({ connection }: Client): string {
  return (connection as Partial<Connection>).options?.address ?? '';
}

/** Returns the same client with Gangway's encryption and interceptors. */
function encrypting({ connection, options }: Client, keys: PayloadKeys | undefined): Client {
  const { namespace, identity, interceptors } = options;
  return new Client({
    connection,
    namespace,
    identity,
    dataConverter: dataConverter(keys),
    interceptors: besideOwn(interceptors),
  });
}

interface Parts {
  readonly temporal: Client;
  readonly settings: ClientSettings;
  /** Contains AWS's own settings, for documents in a bucket. */
  readonly env: NodeJS.ProcessEnv;
  /** Default: there is nothing to close. */
  readonly close?: () => Promise<void>;
}

/** The onboardings to list. Default: all that Temporal still has. */
export interface ListOptions
  extends Pick<
    Filter,
    'running' | 'actionRequired' | 'stage' | 'partnerAccount' | 'startedBefore' | 'endedSince'
  > {
  /** The maximum number to list. */
  readonly most?: number | undefined;
}

/** The maximum of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const FOR_PROGRAMS: Advice = { restart: 'start it again with { again: true }', input: 'the input' };

/**
 * Starts onboardings, follows them, and answers their requirements, with the same checks, IDs, encryption and errors as the
 * command.
 *
 * An `id` is a workflow ID, an `externalId` or `externalId@account`. Each method with an `id` throws {@link UnknownOnboarding} if
 * there is no such onboarding, or more than one.
 */
export class GangwayClient {
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Boards a merchant. A repeated `externalId` attaches to the first workflow, running or ended, so callers may safely retry.
   *
   * @throws {InvalidInput} with every invalid field; nothing was started
   */
  boardMerchant(input: MerchantToBoard, options?: OnboardingOptions): Promise<Started> {
    return this.#checkAndStart(
      async () => (await import('../../temporal/kinds/kinds.js')).MERCHANT,
      input,
      options,
    );
  }

  /** Onboards a business at the bank, like {@link boardMerchant}. @throws {InvalidInput} as {@link boardMerchant} */
  onboardBusiness(input: BusinessToOnboard, options?: OnboardingOptions): Promise<Started> {
    return this.#checkAndStart(
      async () => (await import('../../temporal/kinds/kinds.js')).BUSINESS,
      input,
      options,
    );
  }

  /** Onboards a merchant and its business, like {@link boardMerchant}. @throws {InvalidInput} as {@link boardMerchant} */
  onboardCustomer(input: CustomerToOnboard, options?: OnboardingOptions): Promise<Started> {
    return this.#checkAndStart(
      async () => (await import('../../temporal/kinds/kinds.js')).CUSTOMER,
      input,
      options,
    );
  }

  /** Loads the schemas of inputs with the first input. */
  async #checkAndStart<Input>(
    load: () => Promise<Kind<Input>>,
    input: unknown,
    options?: OnboardingOptions,
  ): Promise<Started> {
    const kind = await load();
    const { check } = await import('../texts/invalid-input.js');
    return this.start(kind, check(kind.schema(this.#parts.settings), input, 'input'), options);
  }

  /**
   * Starts an input that is already checked.
   *
   * @internal
   */
  start<Input>(
    kind: Kind<Input>,
    input: Input,
    { again = false, actor }: OnboardingOptions = {},
  ): Promise<Started> {
    const { taskQueue, dbaForm, fourEyes } = this.#parts.settings;
    return kind.start(this.#parts.temporal, input, { taskQueue, dbaForm, fourEyes, again, actor });
  }

  /**
   * Returns the state of an onboarding.
   *
   * @throws {UnreadableOnboarding} if no worker responds
   */
  status(id: string): Promise<OnboardingState> {
    return this.#of(id, (workflowId) => queryState(this.#parts.temporal, workflowId));
  }

  /**
   * Returns the open requirements of an onboarding, its parts, and the partner accounts that block it. Each has the ID of the
   * workflow that takes the answer.
   *
   * @throws {UnreadableOnboarding} if no worker responds
   */
  async requirements(id: string): Promise<readonly OpenRequirement[]> {
    const { requirements } = await this.#of(id, (workflowId) => readWaits(this.#parts.temporal, workflowId));
    return requirements;
  }

  /**
   * Answers a requirement.
   *
   * @throws {InvalidInput} if the onboarding does not accept the answer, which then had no effect
   * @throws {UpdateTimedOut} if no worker applies it within 10 s; one may still apply it later
   * @throws {EndedOnboarding} if the onboarding has ended
   */
  answer(id: string, resolution: Resolution): Promise<ResolutionReceipt> {
    return this.#of(id, (workflowId) => sendResolution(this.#parts.temporal, workflowId, resolution));
  }

  /**
   * Proposes an answer for a second person to confirm. Replaces an earlier proposal.
   *
   * @throws {InvalidInput} as {@link answer}
   */
  propose(id: string, resolution: Resolution): Promise<ProposalReceipt> {
    return this.#of(id, (workflowId) => sendProposal(this.#parts.temporal, workflowId, resolution));
  }

  /**
   * Confirms a proposed answer. The confirming person must not be the one who proposed it.
   *
   * @throws {InvalidInput} as {@link answer}, or if another answer is proposed now
   */
  confirm(id: string, confirmation: Confirmation): Promise<ConfirmationReceipt> {
    return this.#of(id, (workflowId) => sendConfirmation(this.#parts.temporal, workflowId, confirmation));
  }

  /** Withdraws a proposed answer. The requirement stays open. @throws {InvalidInput} as {@link answer} */
  withdraw(id: string, withdrawal: Withdrawal): Promise<WithdrawalReceipt> {
    return this.#of(id, (workflowId) => sendWithdrawal(this.#parts.temporal, workflowId, withdrawal));
  }

  /**
   * Stores a document (`DOCUMENT_DIR`), for an answer of the kind `documents`.
   *
   * @param fileName the name that the partner sees
   * @throws {InvalidInput} for a document that is not accepted; nothing is stored
   */
  async storeDocument(fileName: string, content: Readable): Promise<DocumentRef> {
    const { documentStore } = await import('../../partners/documents/document-store.js');
    const { openStore } = await import('../../platform/documents/open-store.js');
    const { InvalidInput } = await import('../texts/invalid-input.js');
    const { settings, env } = this.#parts;
    const documents = documentStore(await openStore(settings.documentDir, env));
    return documents.put(fileName, content).catch((error: Error) => {
      throw error.name === 'RefusedDocument' ? new InvalidInput(`${fileName}: ${error.message}`) : error;
    });
  }

  /**
   * Waits until an onboarding has ended, which may take weeks.
   *
   * @throws {EndedWithoutOutcome} if it was stopped or failed
   * @throws {StillRunning} if it has not ended within `timeoutMs`
   */
  async outcome<Ending = Outcome>(id: string, options: OutcomeOptions = {}): Promise<Ending> {
    const { signal, onRequirements } = options;
    const timeoutMs = options.timeoutMs && Math.min(options.timeoutMs, LONGEST_TIMER_MS);
    const deadline = new Deadline({ ...omitUndefined({ ms: timeoutMs }), until: signal });
    const watching = this.watch<Ending>(id, { signal: deadline.signal, isBrief: true });
    try {
      const reported = onRequirements && reportRequirements(watching, onRequirements);
      const [outcome] = await Promise.all([watching.outcome, reported]);
      return outcome;
    } catch (error) {
      if (!deadline.signal.aborted || signal?.aborted) throw error;
      const requirements = await this.requirements(id).catch(() => []);
      throw new StillRunning(id, timeoutMs ?? 0, requirements, { cause: error });
    } finally {
      deadline.release();
    }
  }

  /**
   * Requests the cancellation of an onboarding, and of all parts of a customer. A write in flight finishes first, and existing
   * records stay at the partner. {@link outcome} then ends as for any other onboarding.
   */
  async cancel(id: string): Promise<void> {
    await this.#of(id, async (workflowId) => {
      if (!(await requestCancellation(this.#parts.temporal, workflowId)))
        throw new EndedOnboarding(workflowId);
    });
  }

  /** Lists onboardings, newest first. Needs no worker. A change may take a moment to show. */
  async *list({ most, ...filter }: ListOptions = {}): AsyncGenerator<Listed, void, undefined> {
    yield* searchOnboardings(this.#parts.temporal, { types: typesOf(ONBOARDINGS), ...filter }, most);
  }

  /**
   * Follows an onboarding until it has ended: `for await (const reading of gangway.watch(id))`. Reads its state every second, and
   * yields each change.
   *
   * @param advice the words of an {@link EndedWithoutOutcome}
   */
  watch<Ending = Outcome>(
    id: string,
    options?: WatchOptions,
    advice: Advice = FOR_PROGRAMS,
  ): Watching<Ending> {
    const end = (workflowId: string) =>
      this.#of(workflowId, () => awaitOutcome<Ending>(this.#parts.temporal, workflowId, advice));
    return new Watching(this.#parts.temporal, this.#existing(id), end, options);
  }

  /** Closes the connection, unless the caller provided it. */
  async close(): Promise<void> {
    await this.#parts.close?.();
  }

  async #existing(id: string): Promise<string> {
    if (partsOfId(id)) return id;
    const { temporal, settings } = this.#parts;
    const { workflowId } = await findOnboarding(temporal, id, Object.keys(settings.accounts));
    return workflowId;
  }

  /** Uses a workflow ID without a lookup. Looks it up only if there is no such workflow. */
  async #of<Result>(id: string, use: (workflowId: string) => Promise<Result>): Promise<Result> {
    const workflowId = await this.#existing(id);
    try {
      return await use(workflowId);
    } catch (error) {
      const mayBeUnknown = isNotFound(error) || error instanceof EndedOnboarding;
      if (!mayBeUnknown || (await describe(this.#parts.temporal, workflowId))) throw error;
      throw new UnknownOnboarding(`there is no workflow ${JSON.stringify(id)}`);
    }
  }
}
