import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import {
  type BoardingOperations,
  boardingOperations,
  FEES_PATH,
} from '../../partners/boarding/operations.js';
import { UW_LEVEL_1_PENDING } from '../../partners/boarding/schemas.js';
import { operationName } from '../../partners/catalogue.js';
import type { Ledger, Signs } from '../ledger.js';
import {
  type Content,
  controlsOf,
  type EmulatedPartner,
  type Handlers,
  invalid,
  labelOf,
  partnerRoutes,
  Refusal,
  type World,
} from '../routes.js';
import { type Pace, plainName, scenarioOf, unknownMagicValue } from '../scenario.js';
import { Merchant, merchantChange, SCENARIOS } from './merchants.js';
import { AGENT_PROFILES, authenticate, BOARDING_SETTINGS, USERS, type User } from './reference-data.js';

type Request<Key extends keyof BoardingOperations> = z.output<BoardingOperations[Key]['request']>;

const FIRST_MERCHANT_ID = 1_001;

/** The boarding partner behind its API: merchants, and the rules of apis/2 for what may be done with them. */
class BoardingService {
  readonly #merchants = new Map<number, Merchant>();
  readonly #idsByName = new Map<string, Map<string | number, number>>();

  constructor(
    private readonly ledger: Ledger,
    private readonly pace: () => Pace,
  ) {}

  find(id: number): Merchant | undefined {
    return this.#merchants.get(id);
  }

  /** Ids of the merchants of this name, magic values aside, of whichever ISO; of several with one guid the latest. */
  idsNamed(dba: string): readonly number[] {
    return [...(this.#idsByName.get(plainName(dba))?.values() ?? [])];
  }

  /** The latest merchant that has the name and the guid of this one: the same customer, boarded again. */
  latestLike(id: number): number {
    const merchant = this.#merchants.get(id);
    return (merchant && this.#idsByName.get(plainName(merchant.basics.dba))?.get(keyOf(merchant))) ?? id;
  }

  readonly handlers: Handlers<BoardingOperations, User> = {
    listAgentProfiles: (_, user) => ofIso(AGENT_PROFILES, user).map(({ record }) => record),
    listBoardingSettings: (_, user) => ofIso(BOARDING_SETTINGS, user).map(({ record }) => record),
    createMerchantV1: (request, user) => this.#create('createMerchantV1', request, user),
    createMerchant: (request, user) => this.#create('createMerchant', request, user),
    getFees: ({ id }, user) => this.#merchant(id, user).fees,
    updateFees: ({ id, ...fees }, user) => {
      const merchant = this.#merchant(id, user);
      merchant.fees = fees;
      this.#record('updateFees', merchant);
      return null;
    },
    submitMerchant: ({ merchantProfileId, ...application }, user) => {
      // Without an id the real service creates a merchant on the way; what it needs for that is not printed.
      if (merchantProfileId === undefined) throw invalid('merchantProfileId', 'is required by the sandbox');
      this.#submit('submitMerchant', this.#merchant(merchantProfileId, user), application);
      return { merchantProfileId };
    },
    submitMerchantV1: ({ id }, user) => {
      this.#submit('submitMerchantV1', this.#merchant(id, user), {});
      return { merchantProfileId: id };
    },
    getStatus: ({ id }, user) => this.#merchant(id, user, true).statusData,
    getStatus2: ({ id }, user) => {
      return { ...this.#merchant(id, user, true).statusData, success: true, error: null };
    },
    updateStatus: ({ id, status, comment }, user) => {
      const merchant = this.#merchant(id, user);
      merchant.set({ status, comment: comment ?? null });
      this.#record('updateStatus', merchant);
      return null;
    },
    uploadAttachment: ({ id, file, description }, user) => {
      const merchant = this.#merchant(id, user);
      const { fileName, contentType, content } = file;
      merchant.attachments.push({
        fileName,
        contentType,
        bytes: content.byteLength,
        description: description ?? null,
      });
      this.#record('uploadAttachment', merchant, { name: fileName });
      return null;
    },
    getUnderwritingNotes: ({ id }, user) => this.#merchant(id, user).notes,
    requestUnderwritingReview: ({ id, comment }, user) => {
      const merchant = this.#merchant(id, user);
      if (!merchant.review(comment)) throw invalid('id', `is ${merchant.status}, not under underwriting`);
      this.#record('requestUnderwritingReview', merchant);
      return null;
    },
    setUnderwritingPending: ({ id }, user) => {
      const merchant = this.#merchant(id, user);
      merchant.set({ status: UW_LEVEL_1_PENDING });
      this.#record('setUnderwritingPending', merchant);
      return null;
    },
  };

  #create(operation: 'createMerchant' | 'createMerchantV1', basics: Request<'createMerchant'>, user: User) {
    const scenario = scenarioOf(SCENARIOS, basics.dba);
    if (!scenario) throw invalid('dba', unknownMagicValue(SCENARIOS, basics.dba));
    const profile = AGENT_PROFILES.find(({ record }) => record.id === basics.agentProfileId);
    if (!profile) throw new Refusal(404, `agentProfileId ${basics.agentProfileId} not found`);
    if (profile.isoId !== user.isoId) throw new Refusal(403, 'The agent profile belongs to another ISO');
    const settings = ofIso(BOARDING_SETTINGS, user).find(
      ({ record }) => record.id === basics.boardingSettingsId,
    );
    if (basics.boardingSettingsId !== undefined && !settings) {
      throw new Refusal(404, `boardingSettingsId ${basics.boardingSettingsId} not found`);
    }
    const id = FIRST_MERCHANT_ID + this.#merchants.size;
    const fees = structuredClone(settings?.fees ?? {});
    const merchant = new Merchant(id, user.isoId, basics, fees, scenario, this.pace);
    this.#merchants.set(id, merchant);
    const name = plainName(basics.dba);
    this.#idsByName.set(name, (this.#idsByName.get(name) ?? new Map()).set(keyOf(merchant), id));
    this.#record(operation, merchant);
    return { merchantProfileId: id };
  }

  #submit(
    operation: 'submitMerchant' | 'submitMerchantV1',
    merchant: Merchant,
    application: Record<string, unknown>,
  ) {
    if (!merchant.submit(application))
      throw invalid('merchantProfileId', `is ${merchant.status}: already submitted`);
    this.#record(operation, merchant);
  }

  #merchant(id: number, user: User, isStatusRead = false): Merchant {
    const merchant = this.#merchants.get(id);
    if (!merchant) throw new Refusal(404, `merchant ${id} not found`);
    if (merchant.isoId !== user.isoId) throw new Refusal(403, 'The merchant belongs to another ISO');
    merchant.advance(isStatusRead);
    return merchant;
  }

  #record(operation: keyof BoardingOperations, { id, basics }: Merchant, signs: Signs = {}): void {
    const guid = basics.guid === undefined ? {} : { guid: basics.guid };
    this.ledger.record({ system: 'boarding', operation: operationName(operation), id, ...guid, ...signs });
  }
}

/** The identity of customers with the same name, from what callers send. */
function keyOf({ id, basics }: Merchant): string | number {
  return basics.guid ?? id;
}

function ofIso<T extends { readonly isoId: number }>(all: readonly T[], { isoId }: User): T[] {
  return all.filter((entry) => entry.isoId === isoId);
}

/** Serves every boarding operation of the catalogue, with the documented responses (apis/2). */
function boardingRoutes(server: FastifyInstance, service: BoardingService, world: World): void {
  let requests = 0;
  partnerRoutes(server, world, {
    name: 'boarding',
    operations: boardingOperations(world.posNames),
    handlers: service.handlers,
    admit: ({ headers }, { method }) => {
      const caller = authenticate(headers.authorization, world.password);
      if (!caller) throw outsideEnvelope(401, 'Unauthorized', 'Invalid credentials');
      if (method !== 'GET' && !caller.mayWrite)
        throw outsideEnvelope(403, 'Forbidden', 'No permission for this operation');
      return caller;
    },
    move: ({ id, merchantProfileId }, meanwhile) =>
      service.find(Number(merchantProfileId ?? id))?.meanwhile(meanwhile),
    envelope: ({ path }, content) => {
      const envelope = path === FEES_PATH ? feesEnvelope : commonEnvelope;
      return envelope({ ...content, requestId: 70_000 + ++requests });
    },
  });
}

interface NumberedContent extends Content {
  readonly requestId: number;
}

/** The form that refusals of a caller have (apis/4). */
function outsideEnvelope(status: number, error: string, message: string): Refusal {
  return new Refusal(status, message, [], { error, message });
}

function commonEnvelope({ data, status, error, fields, requestId }: NumberedContent) {
  const validationResults = fields.map(({ field, message }) => ({
    memberNames: [field],
    errorMessage: message,
  }));
  return { data, status: labelOf(status), error, warning: null, validationResults, requestId };
}

function feesEnvelope({ data, error, fields, requestId }: NumberedContent) {
  const validationErrors = fields.map(({ field, message }) => ({ field, error: message }));
  return { data, requestId, success: error === null, error, validationErrors };
}

/** `/sandbox/merchants/...`: what tests and demos steer. */
function boardingControlRoutes(server: FastifyInstance, service: BoardingService): void {
  controlsOf(server, {
    kind: 'merchant',
    find: (id) => service.find(Number(id)),
    shown: (merchant) => {
      const { id, isoId, basics, fees, notes, application, attachments, reviewComments, statusData } =
        merchant;
      return { id, isoId, basics, ...statusData, fees, notes, application, attachments, reviewComments };
    },
    change: merchantChange,
    apply: (merchant, change) => {
      merchant.set(change);
      return merchant.statusData;
    },
  });
}

export const boardingPartner: EmulatedPartner = {
  credentials: { BOARDING_USERNAME: 'sandbox', BOARDING_PASSWORD: 'sandbox' },
  scenarios: {
    merchants: Object.entries(SCENARIOS).map(([name, { description }]) => ({ name, description })),
    users: USERS.map(({ name, isoId, mayWrite }) => ({ username: name, password: name, isoId, mayWrite })),
  },
  start(server, world) {
    const service = new BoardingService(world.ledger, world.pace);
    world.merchants = service;
    boardingRoutes(server, service, world);
    boardingControlRoutes(server, service);
  },
};
