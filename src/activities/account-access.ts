import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, getClient, heartbeat, type Info, log } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { PARTNER_ERROR } from '../messages/activities.js';
import type {
  PartnerAccountActivities,
  ProbeRequest,
  ProbeResult,
  Refusal,
} from '../messages/partner-account.js';
import type { CallOptions } from '../partners/client.js';
import { isRefusedAtTheDoor, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { censored } from '../privacy/private-values.js';
import {
  type AccountAt,
  isAccountAsking,
  isUnreadable,
  probeNow,
  reportRefusal,
  retryReads,
  wakeRefused,
} from '../temporal/partner-accounts.js';
import { asFailure, beating, isWorthRepeating, REFUSED_PACE_MS, untilCancelled } from './failures.js';
import { again } from './poll.js';
import { leaveUnsent } from './write.js';

/** How a process signs in to one of our accounts at a partner. */
export interface SignIn {
  /** A cheap read. */
  readonly read: (options: CallOptions) => Promise<unknown>;
  /** Drops what is remembered of refusals. */
  readonly forget?: () => void;
  /** Takes a one-time code for the next sign-in. */
  readonly useCode?: (code: string) => void;
}

/** How long a report to Temporal may take, in milliseconds. A refusal that it does not reach is reported with the next attempt. */
const REPORT_TIMEOUT_MS = 5_000;

/** What was refused just before the credentials worked is on its way to the server, for this many milliseconds. */
const SETTLING_MS = 1_000;

/**
 * A probe that another process picked up is handed on this often, and this many milliseconds later. After that the process
 * it is meant for is gone.
 */
const HAND_ONS = 20;
const HAND_ON_MS = 50;

/** How often it is looked whether responses can be read again, in milliseconds. No partner is asked. */
const READABLE_PACE_MS = 5_000;

/** After this many reports that led to no probe here, each workflow asks for itself. */
const UNHEARD = 3;

/** A call that is refused again this soon after a probe succeeded, in milliseconds, is refused for itself. */
const DISPUTE_MS = 5 * 60_000;

/** As much of a partner's words as people need. */
const WORDS_LENGTH = 300;

/** What the heartbeat of a probe hands to its later attempts. */
interface ProbeProgress {
  readonly handedOn: number;
}

/**
 * Whether a partner lets this process in to one of our accounts. A refusal is reported to the account's workflow, which asks a
 * person on behalf of all. Until the next try is due, or a probe succeeds, activities fail without a call: each call with a
 * wrong password may count towards locking the account. Times are those of `performance.now()`, because the clock of the machine
 * may be set while it runs.
 */
export class AccountAccess {
  readonly #process = randomUUID();
  #refusal: { readonly details: PartnerErrorDetails; readonly until: number } | undefined;
  /** Whether the account's workflow knows, and when it is to be looked at again. */
  #isReported = false;
  #reportAt = 0;
  /** How often it was reported since the last probe in this process. */
  #unheard = 0;
  /** How often a probe succeeded. */
  #opened = 0;
  /** Types of activities that were refused since the last probe that succeeded, and before it. */
  readonly #refused = new Set<string>();
  readonly #disputed = new Set<string>();
  #disputedUntil = 0;

  constructor(
    private readonly place: AccountAt,
    private readonly signIn: SignIn,
  ) {}

  /** Watches all activities of the account. Belongs after the interceptors that see outcomes as they are reported. */
  readonly interceptors: ActivityInterceptorsFactory = ({ info }): ActivityInterceptors => ({
    inbound: { execute: (input, next) => this.#watched(info, () => next(input)) },
  });

  readonly activities: PartnerAccountActivities = {
    probeAccount: (request) => this.#probe(request),
    awaitReadable: ({ reads }) =>
      beating(async () => {
        const readable: string[] = [];
        for (const read of reads) if (!(await isUnreadable(getClient(), read))) readable.push(read.operation);
        if (readable.length > 0) return readable;
        throw again('StillUnreadable', 'responses still cannot be read', READABLE_PACE_MS);
      }),
    retryReads: (read) => beating(() => retryReads(getClient(), read)),
    wakeRefused: () =>
      beating(async () => {
        await sleep(SETTLING_MS);
        return (await wakeRefused(getClient(), this.place)).steps;
      }),
  };

  /** Has the account's workflow, where it runs, try the credentials: this process may have others. */
  async probeNow(client: Client): Promise<void> {
    await client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, () => probeNow(client, this.place));
  }

  async #watched<T>(info: Info, run: () => Promise<T>): Promise<T> {
    const { activityType } = info;
    if (activityType in this.activities) return run();
    if (this.#refusal && performance.now() < this.#refusal.until) {
      if (isUnmarkedWrite(info)) await leaveUnsent();
      throw refused(info, this.#refusal.details);
    }
    const opened = this.#opened;
    try {
      const result = await run();
      this.#letIn(activityType);
      return result;
    } catch (error) {
      const failure = partnerErrorIn(error);
      const details = failure && isRefusedAtTheDoor(failure) ? failure : undefined;
      if (!details) {
        if (!failure || failure.kind === 'Rejected' || failure.kind === 'Forbidden')
          this.#letIn(activityType);
        throw error;
      }
      // The partner has let us in since the call was made.
      if (opened !== this.#opened) throw refused(info, details);
      // The credentials work, only not with this call; or no probe comes here, as to a worker of an old build.
      const isDisputed = performance.now() < this.#disputedUntil && this.#disputed.has(activityType);
      if ((isDisputed && !details.atSignIn) || this.#unheard >= UNHEARD) throw forbidden(details);
      this.#refused.add(activityType);
      this.#close(details);
      await this.#report(details);
      throw refused(info, details);
    }
  }

  async #report(details: PartnerErrorDetails): Promise<void> {
    if (performance.now() < this.#reportAt) return;
    this.#reportAt = performance.now() + REFUSED_PACE_MS;
    const client = getClient();
    const report = { process: this.#process, refusal: refusalOf(details) };
    const deliver = async () => {
      if (this.#isReported && (await isAccountAsking(client, this.place))) return;
      await reportRefusal(client, this.place, report);
      this.#isReported = true;
      this.#unheard += 1;
    };
    await client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, deliver).catch((error: unknown) => {
      this.#reportAt = 0;
      log.warn('refused credentials could not be reported', { error });
    });
  }

  async #probe({ process, seen, code, afresh }: ProbeRequest): Promise<ProbeResult> {
    const { handedOn = 0 } = (activityInfo().heartbeatDetails ?? {}) as Partial<ProbeProgress>;
    if (process !== this.#process && handedOn < HAND_ONS) {
      heartbeat({ handedOn: handedOn + 1 } satisfies ProbeProgress);
      throw again('OtherProcess', 'another process is meant', HAND_ON_MS);
    }
    if (process === this.#process) this.#unheard = 0;
    if (handedOn > 0) heartbeat({ handedOn: 0 } satisfies ProbeProgress);
    if (seen && process === this.#process) this.#pace();
    // In this order: what is forgotten includes a code that was not used.
    if (afresh) this.signIn.forget?.();
    if (code !== undefined) this.signIn.useCode?.(code);
    try {
      await this.signIn.read(untilCancelled());
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (isRefusedAtTheDoor(error.details)) {
        this.#close(error.details);
        const refusal = refusalOf(error.details);
        if (process === this.#process && seen && isSame(seen, refusal)) this.#pace();
        return { process: this.#process, refusal };
      }
      if (isWorthRepeating(error, 1, false)) throw asFailure(error, true);
      // What was read is another question: the partner has let us in.
    }
    this.#open();
    return { process: this.#process };
  }

  /** @throws while the last refusal is too recent for another probe */
  #pace(): void {
    const leftMs = (this.#refusal?.until ?? 0) - performance.now();
    if (leftMs > 0) throw again('StillRefused', 'the credentials are still refused', leftMs);
  }

  #letIn(activityType: string): void {
    this.#refused.delete(activityType);
    this.#disputed.delete(activityType);
  }

  #close(details: PartnerErrorDetails): void {
    this.#refusal = { details, until: performance.now() + REFUSED_PACE_MS };
  }

  #open(): void {
    this.#opened += 1;
    this.#refusal = undefined;
    this.#isReported = false;
    this.#reportAt = 0;
    for (const activityType of this.#refused) this.#disputed.add(activityType);
    this.#refused.clear();
    this.#disputedUntil = performance.now() + DISPUTE_MS;
  }
}

function partnerErrorIn(error: unknown): PartnerErrorDetails | undefined {
  if (!(error instanceof ApplicationFailure) || error.type !== PARTNER_ERROR) return undefined;
  return error.details?.[0] as PartnerErrorDetails;
}

/** Of all activities of workflows, writes alone have no heartbeat time-out (workflows/journey/partner-activities.ts). */
function isUnmarkedWrite({ heartbeatTimeoutMs, heartbeatDetails }: Info): boolean {
  return !heartbeatTimeoutMs && heartbeatDetails === undefined;
}

/** The server retries it in a workflow. Who started an activity by itself waits for its outcome, and can start it again. */
function refused({ workflowType }: Info, details: PartnerErrorDetails): ApplicationFailure {
  const isInOnboarding = workflowType !== undefined && workflowType !== 'singleActivity';
  return asFailure(new PartnerError(details), isInOnboarding);
}

/** Has the workflow ask by itself. */
function forbidden({ atSignIn: _, needs: __, ...details }: PartnerErrorDetails): ApplicationFailure {
  return asFailure(new PartnerError({ ...details, kind: 'Forbidden' }), false);
}

function refusalOf({ kind, operation, reason, needs, fields }: PartnerErrorDetails): Refusal {
  const words = fields.map(({ message }) => censored(message)).join('; ');
  return { kind, operation, reason, ...(needs && { needs }), words: words.slice(0, WORDS_LENGTH) };
}

function isSame(one: Refusal, other: Refusal): boolean {
  return one.kind === other.kind && one.reason === other.reason && one.needs === other.needs;
}
