import { randomUUID } from 'node:crypto';
import { activityInfo, getClient, heartbeat, type Info, log, sleep } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import type {
  PartnerAccountActivities,
  ProbeRequest,
  ProbeResult,
  Refusal,
} from '../messages/partner-account.js';
import type { CallOptions } from '../partners/client.js';
import { isRefusedAtTheDoor, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { masked } from '../privacy/masked.js';
import {
  type AccountAt,
  isHandlingRefusal,
  probeNow,
  reportRefusal,
  retryReads,
  waitsForReadable,
  wakeRefused,
} from '../temporal/partner-accounts.js';
import {
  asFailure,
  beating,
  isRetryable,
  partnerErrorIn,
  REFUSED_PACE_MS,
  REPORT_TIMEOUT_MS,
  untilCancelled,
} from './failures.js';
import { again } from './poll.js';
import { leaveUnsent } from './write.js';

/** How a process signs in to an account at a partner. */
export interface SignIn {
  /** A cheap read. */
  readonly read: (options: CallOptions) => Promise<unknown>;
  /** Forgets earlier refusals. */
  readonly forget?: () => void;
  /** Stores a one-time code for the next sign-in. */
  readonly useCode?: (code: string) => void;
}

/** A failure from just before the credentials worked takes up to this many milliseconds to reach the server. */
const SETTLING_MS = 1_000;

/**
 * A process that gets the probe of another process returns it to the server at most this often, for a retry after this many
 * milliseconds. After that, the other process counts as gone.
 */
const MAX_PASSES = 20;
const PASS_MS = 50;

/** How often to check whether responses can be read again, in milliseconds. The check calls no partner. */
const READABLE_PACE_MS = 5_000;

/** After this many reports without a probe in this process, each workflow asks a person itself. */
const MAX_UNANSWERED_REPORTS = 3;

/** A rejection this soon after a successful probe, in milliseconds, is about the call and not about the credentials. */
const DISPUTE_MS = 5 * 60_000;

/** A partner's words are cut off after this many characters. */
const WORDS_LENGTH = 300;

/** The heartbeat details of a probe. */
interface ProbeProgress {
  readonly passes: number;
}

/**
 * Tracks whether a partner accepts the credentials of this process for one account. A refusal is reported to the account's
 * workflow, which asks one person on behalf of all onboardings. Until the next try is due, or a probe succeeds, activities fail
 * without a call, because each call with a wrong password may count towards a locked account. Times are those of
 * `performance.now()`, because the clock of the machine may be set while the process runs.
 */
export class AccountAccess {
  readonly #process = randomUUID();
  #refusal: { readonly details: PartnerErrorDetails; readonly until: number } | undefined;
  /** Whether the account's workflow got a report, and when to check it again. */
  #isReported = false;
  #reportAt = 0;
  /** Reports since the last probe in this process. */
  #unansweredReports = 0;
  /** Probes that succeeded. */
  #opened = 0;
  /** Types of activities that were refused since the last successful probe, and before it. */
  readonly #refused = new Set<string>();
  readonly #disputed = new Set<string>();
  #disputedUntil = 0;

  constructor(
    private readonly place: AccountAt,
    private readonly signIn: SignIn,
  ) {}

  /** For all activities of the account. Placed after the interceptors that need results as the server gets them. */
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
        throw again('StillUnreadable', 'responses still cannot be read', READABLE_PACE_MS);
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
    await client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, () => probeNow(client, this.place));
  }

  async #guarded<T>(info: Info, run: () => Promise<T>): Promise<T> {
    const { activityType } = info;
    if (activityType in this.activities) return run();
    if (this.#refusal && performance.now() < this.#refusal.until) {
      if (isUnmarkedWrite(info)) await leaveUnsent();
      throw refused(info, this.#refusal.details);
    }
    const opened = this.#opened;
    try {
      const result = await run();
      this.#accepted(activityType);
      return result;
    } catch (error) {
      const failure = partnerErrorIn(error);
      const details = failure && isRefusedAtTheDoor(failure) ? failure : undefined;
      if (!details) {
        if (!failure || failure.kind === 'Rejected' || failure.kind === 'Forbidden')
          this.#accepted(activityType);
        throw error;
      }
      // The partner has accepted the credentials since the call began.
      if (opened !== this.#opened) throw refused(info, details);
      // Either the credentials work, but not for this call; or no probe reaches this process, as in a worker of an old build.
      const isDisputed = performance.now() < this.#disputedUntil && this.#disputed.has(activityType);
      if ((isDisputed && !details.atSignIn) || this.#unansweredReports >= MAX_UNANSWERED_REPORTS)
        throw forbidden(details);
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
      if (this.#isReported && (await isHandlingRefusal(client, this.place))) return;
      await reportRefusal(client, this.place, report);
      this.#isReported = true;
      this.#unansweredReports += 1;
    };
    await client.withDeadline(Date.now() + REPORT_TIMEOUT_MS, deliver).catch((error: unknown) => {
      this.#reportAt = 0;
      log.warn('could not report that a partner rejected credentials', { error });
    });
  }

  async #probe({ process, seen, code, afresh }: ProbeRequest): Promise<ProbeResult> {
    const { passes = 0 } = (activityInfo().heartbeatDetails ?? {}) as Partial<ProbeProgress>;
    if (process !== this.#process && passes < MAX_PASSES) {
      heartbeat({ passes: passes + 1 } satisfies ProbeProgress);
      throw again('OtherProcess', 'the probe is for another process', PASS_MS);
    }
    if (process === this.#process) this.#unansweredReports = 0;
    if (passes > 0) heartbeat({ passes: 0 } satisfies ProbeProgress);
    if (seen && process === this.#process) this.#pace();
    // In this order, because forgetting drops an unused code.
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
      if (isRetryable(error, 1, false)) throw asFailure(error, true);
      // The read failed for another reason: the partner accepts the credentials.
    }
    this.#open();
    return { process: this.#process };
  }

  /** @throws {ApplicationFailure} while the last refusal is too recent for another probe */
  #pace(): void {
    const leftMs = (this.#refusal?.until ?? 0) - performance.now();
    if (leftMs > 0) throw again('StillRefused', 'the credentials are still refused', leftMs);
  }

  #accepted(activityType: string): void {
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
    if (performance.now() >= this.#disputedUntil) this.#disputed.clear();
    for (const activityType of this.#refused) this.#disputed.add(activityType);
    this.#refused.clear();
    this.#disputedUntil = performance.now() + DISPUTE_MS;
  }
}

/** Of the activities of workflows, only writes have no heartbeat time-out. */
function isUnmarkedWrite({ heartbeatTimeoutMs, heartbeatDetails }: Info): boolean {
  return !heartbeatTimeoutMs && heartbeatDetails === undefined;
}

/** Retryable in an onboarding. The caller of a single activity waits for its result, and can call it again. */
function refused({ workflowType }: Info, details: PartnerErrorDetails): ApplicationFailure {
  const isInOnboarding = workflowType !== undefined && workflowType !== 'singleActivity';
  return asFailure(new PartnerError(details), isInOnboarding);
}

/** Makes the workflow ask a person itself. */
function forbidden({ atSignIn: _, needs: __, ...details }: PartnerErrorDetails): ApplicationFailure {
  return asFailure(new PartnerError({ ...details, kind: 'Forbidden' }), false);
}

function refusalOf({ kind, operation, reason, needs, fields }: PartnerErrorDetails): Refusal {
  const words = fields.map(({ message }) => masked(message, 'log')).join('; ');
  return { kind, operation, reason, ...(needs && { needs }), words: words.slice(0, WORDS_LENGTH) };
}

function isSame(one: Refusal, other: Refusal): boolean {
  return one.kind === other.kind && one.reason === other.reason && one.needs === other.needs;
}
