import { randomUUID } from 'node:crypto';
import { activityInfo, getClient, heartbeat, type Info, log, sleep } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { recordUnsent } from '../at-most-once/activity.js';
import {
  credentialsRefused,
  isWrite,
  type PartnerAccountActivities,
  type ProbeRequest,
  type ProbeResult,
  type Refusal,
} from '../messages/partner-account.js';
import type { CallOptions } from '../partners/client.js';
import { isRefusedAtTheDoor, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { masked } from '../platform/privacy/masked.js';
import {
  isHandlingRefusal,
  probeNow,
  type ReportingAccount,
  reportTo,
  retryReads,
  waitsForReadable,
  wakeRefused,
} from '../temporal/partner-accounts.js';
import * as credentials from './credentials.js';
import { asFailure, beating, inTime, isRetryable, partnerErrorIn, untilCancelled } from './failures.js';
import { again } from './poll.js';

export interface SignIn {
  /** A cheap read. */
  readonly read: (options: CallOptions) => Promise<unknown>;
  /** Forgets earlier refusals. */
  readonly forget?: () => void;
  /** Stores a one-time code for the next sign-in. */
  readonly useCode?: (code: string) => void;
}

/**
 * How long to wait before waking activities, in milliseconds: failures from just before the credentials worked may still be on their
 * way to the server.
 */
const SETTLING_MS = 1_000;

/** The passes of a probe to other processes, and their pause in milliseconds. After that, its process counts as gone. */
const MAX_PASSES = 20;
const PASS_MS = 50;

/** The interval at which to check whether responses can be read again, in milliseconds. The check calls no partner. */
const READABLE_EVERY_MS = 5_000;

const WORDS_LENGTH = 300;

/**
 * Tracks whether a partner accepts the credentials of this process for one account. A refusal is reported to the account's
 * workflow, which asks one person on behalf of all onboardings. Until the next try is due, or a probe succeeds, activities fail
 * without a call. credentials.ts decides what follows from a response.
 */
export class AccountAccess {
  readonly #process = randomUUID();
  #state = credentials.UNTRIED;

  constructor(
    private readonly place: ReportingAccount,
    private readonly signIn: SignIn,
  ) {}

  /** Intercepts all activities of the account. Must be the inner one: interceptors that need the final result go outside it. */
  readonly interceptors: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
    inbound: { execute: (input, next) => this.#guarded(info, () => next(input)) },
  });

  readonly activities: PartnerAccountActivities = {
    probeAccount: (request) => this.#probe(request),
    awaitReadable: ({ reads }) =>
      beating(async () => {
        const readable: string[] = [];
        for (const read of reads)
          if (!(await waitsForReadable(getClient(), read))) readable.push(read.operation);
        if (readable.length > 0) return readable;
        throw again('StillUnreadable', 'responses still cannot be read', READABLE_EVERY_MS);
      }),
    retryReads: (read) => beating(() => retryReads(getClient(), read)),
    wakeRefused: () =>
      beating(async () => {
        await sleep(SETTLING_MS);
        return (await wakeRefused(getClient(), this.place)).steps;
      }),
  };

  /** Makes the account's workflow, if it runs, try the credentials: this process may have other ones. */
  async probeNow(client: Client): Promise<void> {
    await inTime(() => probeNow(client, this.place), client);
  }

  async #guarded<T>(info: Info, run: () => Promise<T>): Promise<T> {
    const { activityType: type } = info;
    if (type in this.activities) return run();
    const before = this.#state;
    if (before.is === 'refused' && credentials.pauseMs(before, performance.now()) > 0) {
      if (isWrite(type) && info.heartbeatDetails === undefined) await recordUnsent();
      throw refused(info, before.details);
    }
    try {
      const result = await run();
      this.#state = credentials.letIn(this.#state, type);
      return result;
    } catch (error) {
      const details = partnerErrorIn(error);
      if (details && isRefusedAtTheDoor(details)) {
        const [state, what] = credentials.refused(this.#state, before, type, details, performance.now());
        this.#state = state;
        if (what === 'deny') throw denied(details);
        if (what !== 'wait') await this.#report(details, what === 'confirm');
        throw refused(info, details);
      }
      const isAccepted = !details || details.kind === 'Rejected' || details.kind === 'Forbidden';
      if (isAccepted) this.#state = credentials.letIn(this.#state, type);
      throw error;
    }
  }

  async #report(details: PartnerErrorDetails, mayBeHandled: boolean): Promise<void> {
    const deliver = async (client: Client) => {
      if (mayBeHandled && (await isHandlingRefusal(client, this.place))) return;
      const refusal = refusalOf(details);
      await reportTo(client, this.place, credentialsRefused, { process: this.#process, refusal });
      this.#state = credentials.reported(this.#state, true);
    };
    await inTime(deliver).catch((error: unknown) => {
      this.#state = credentials.reported(this.#state, false);
      log.warn('could not report that a partner rejected credentials', { error });
    });
  }

  async #probe({ process, seen, code, afresh }: ProbeRequest): Promise<ProbeResult> {
    const isOwn = process === this.#process;
    const { passes = 0 } = (activityInfo().heartbeatDetails ?? {}) as { passes?: number };
    if (!isOwn && passes < MAX_PASSES) {
      heartbeat({ passes: passes + 1 });
      throw again('OtherProcess', 'the probe is for another process', PASS_MS);
    }
    if (isOwn) this.#state = credentials.probed(this.#state);
    // Found the owner: count again from zero. If the passes were used up, its process is gone, and later attempts probe at once.
    if (isOwn && passes > 0) heartbeat({ passes: 0 });
    if (isOwn && seen) this.#pause();
    // In this order, because forgetting drops an unused code.
    if (afresh) this.signIn.forget?.();
    if (code !== undefined) this.signIn.useCode?.(code);
    try {
      await this.signIn.read(untilCancelled());
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (isRefusedAtTheDoor(error.details)) {
        this.#state = credentials.probeRefused(this.#state, error.details, performance.now());
        const refusal = refusalOf(error.details);
        if (isOwn && seen && isSame(seen, refusal)) this.#pause();
        return { process: this.#process, refusal };
      }
      if (isRetryable(error, 1, false)) throw asFailure(error, true);
      // The read failed for another reason: the partner accepts the credentials.
    }
    this.#state = credentials.probeAccepted(this.#state, performance.now());
    return { process: this.#process };
  }

  /** @throws {ApplicationFailure} `StillRefused` while the last refusal is too recent for another probe */
  #pause(): void {
    const leftMs = credentials.pauseMs(this.#state, performance.now());
    if (leftMs > 0) throw again('StillRefused', 'the credentials are still refused', leftMs);
  }
}

/** Retryable in a workflow. The caller of a single activity waits for its result, and can call it again. */
function refused({ inWorkflow }: Info, details: PartnerErrorDetails): ApplicationFailure {
  return asFailure(new PartnerError(details), inWorkflow);
}

/** The credentials work, so the partner does not permit this call. */
function denied({ atSignIn: _, needs: __, ...details }: PartnerErrorDetails): ApplicationFailure {
  const error = new PartnerError({ ...details, kind: 'Forbidden' });
  return asFailure(error, isRetryable(error, 1, false));
}

function refusalOf({ kind, operation, reason, needs, fields }: PartnerErrorDetails): Refusal {
  const words = fields.map(({ message }) => masked(message, 'log')).join('; ');
  return { kind, operation, reason, ...(needs && { needs }), words: words.slice(0, WORDS_LENGTH) };
}

function isSame(one: Refusal, other: Refusal): boolean {
  return one.kind === other.kind && one.reason === other.reason && one.needs === other.needs;
}
