import { activityInfo, log } from '@temporalio/activity';
import { recordUnsent } from '../at-most-once/activity.js';
import { credentialsRefused, isWrite, type ProcessActivities } from '../messages/partner-account.js';
import type { AnyClient } from '../partners/partner.js';
import { isUnauthenticated, PartnerError, type PartnerErrorDetails } from '../partners/partner-error.js';
import { redact } from '../platform/privacy/masked.js';
import { isHandlingRefusal, type ReportingAccount, reportTo } from '../temporal/partner-accounts.js';
import { CircuitBreaker } from './circuit-breaker.js';
import {
  asForbidden,
  callWithDeadline,
  ifNotRejected,
  partnerErrorOfActivity,
  toFailure,
  withHeartbeat,
} from './failures.js';
import { pollAgain } from './poll.js';
import { activityKey, MAX_REMEMBERED } from './software-errors.js';

// Keeps W5.
/**
 * This process's credentials for one account, behind a circuit breaker. While the breaker is open, the account's activities fail
 * without a call. A refused call, or a half-open breaker, triggers a cheap read that tests the credentials. Only if the partner
 * also refuses that read does the breaker open and the account's workflow ask a person.
 */
export class AccountCredentials {
  readonly #breaker = new CircuitBreaker<PartnerErrorDetails>();
  /** Keys of activities whose last call was refused although the credentials were valid. */
  readonly #refusedCalls = new Set<string>();
  #trial: Promise<boolean> | undefined;

  /** @param process the process's own task queue, which identifies it */
  constructor(
    readonly account: ReportingAccount,
    private readonly process: string,
    private readonly client: AnyClient,
    private readonly read: () => Promise<unknown>,
  ) {}

  guard<Activities extends object>(activities: Activities): Activities {
    const guarded = Object.entries(activities).map(([name, run]) => {
      return [name, (...args: unknown[]) => this.#guard(() => run(...args))];
    });
    return Object.fromEntries(guarded);
  }

  readonly check: ProcessActivities['checkCredentials'] = async ({ seen, now, code }) => {
    if (now) {
      const { openMs } = this.#breaker;
      // It follows an attempt without a clear response, and a bank must not see a sign-in every few seconds.
      if (activityInfo().attempt > 1 && openMs > 0)
        throw pollAgain('StillUnclear', 'the partner gave no clear response', openMs);
      await this.#trial?.catch(() => undefined);
      // `forget` also drops an unused code, so it comes first.
      this.client.forget?.();
      if (code !== undefined) this.client.useCode?.(code);
      this.#breaker.halfOpen();
    }
    const { failure: last } = this.#breaker;
    if (!last || !(await withHeartbeat(() => this.#isRefused(last)))) return null;
    const { failure = last, openMs } = this.#breaker;
    if (seen && (['kind', 'reason', 'needs'] as const).every((each) => seen[each] === failure[each]))
      throw pollAgain('StillRefused', 'the credentials are still refused', openMs);
    return refusalOf(failure);
  };

  async #guard<T>(run: () => Promise<T>): Promise<T> {
    const info = activityInfo();
    const failureOf = (details: PartnerErrorDetails) => toFailure(new PartnerError(details), info.inWorkflow);
    const { failure } = this.#breaker;
    if (failure && (await this.#isRefused(failure).catch(() => true))) {
      if (isWrite(info.activityType) && info.heartbeatDetails === undefined) await recordUnsent();
      throw failureOf(failure);
    }
    const wasRefused = this.#refusedCalls.delete(activityKey(info));
    try {
      return await run();
    } catch (error) {
      const details = partnerErrorOfActivity(error);
      if (!details || !isUnauthenticated(details)) throw error;
      if (await this.#isRefused(details, details.refusesReads).catch(() => true)) throw failureOf(details);
      if (this.#refusedCalls.size < MAX_REMEMBERED) this.#refusedCalls.add(activityKey(info));
      throw info.inWorkflow && !wasRefused ? failureOf(details) : asForbidden(details);
    }
  }

  /** Concurrent callers share one probe. @param wasTried a read was just refused as well */
  async #isRefused(last: PartnerErrorDetails, wasTried = false): Promise<boolean> {
    if (this.#breaker.openMs > 0) return true;
    this.#trial ??= this.#try(last, wasTried).finally(() => {
      this.#trial = undefined;
    });
    return this.#trial;
  }

  /** @throws if the probe gets no clear response. The breaker then opens too, but nobody is asked. */
  async #try(last: PartnerErrorDetails, wasTried: boolean): Promise<boolean> {
    const { failure: earlier } = this.#breaker;
    try {
      if (wasTried) throw new PartnerError(last);
      await ifNotRejected(this.read(), undefined);
      this.#breaker.recordSuccess();
      return false;
    } catch (error) {
      const isRefused = error instanceof PartnerError && isUnauthenticated(error.details);
      this.#breaker.recordFailure(isRefused ? error.details : last);
      if (!isRefused) throw error;
      const report = { process: this.process, refusal: refusalOf(error.details) };
      await callWithDeadline(async (client) => {
        if (!earlier || !(await isHandlingRefusal(client, this.account)))
          await reportTo(client, this.account, credentialsRefused, report);
      }).catch((failed: unknown) => log.warn('could not report refused credentials', { error: failed }));
      return true;
    }
  }
}

function refusalOf({ kind, operation, reason, needs, fields }: PartnerErrorDetails) {
  const words = fields.map(({ message }) => redact(message, 'log')).join('; ');
  return { kind, operation, reason, ...(needs && { needs }), words: words.slice(0, 300) };
}
