import { join } from 'node:path';
import type { Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { bankingActivities } from '../../../../src/activities/banking.js';
import type { AtMostOnce } from '../../../../src/at-most-once/workflow.js';
import type { BankingActivities } from '../../../../src/messages/banking-activities.js';
import type { BankingClient } from '../../../../src/partners/banking/client.js';
import type { PartnerErrorDetails } from '../../../../src/partners/partner-error.js';
import { folder as folderStore } from '../../../../src/platform/documents/file-store.js';
import { newFolder } from '../../folders.js';
import { OWNER } from '../../inputs.js';
import { clientAt } from '../../partners/banking/partner.js';
import { HOLDER, type RunningBanking, runBanking } from '../../sandbox/banking/running-banking.js';
import { environment } from '../environment.js';

type Activities = BankingActivities;

/** The result of a call of an activity. */
type ResponseOf<Activity extends (request: never) => unknown> =
  ReturnType<Activity> extends AtMostOnce<infer Response> ? Response : Awaited<ReturnType<Activity>>;

/** Runs an activity without a worker. `info` is what the server reports about the attempt. */
export type Run = <Name extends keyof Activities>(
  name: Name,
  request: Parameters<Activities[Name]>[0],
  info?: Partial<Info>,
) => Promise<ResponseOf<Activities[Name]>>;

/** The banking activities with this client and a new statement store, and the details of their heartbeats, for the running test. */
export async function activitiesOf(client: BankingClient) {
  const folder = join(await newFolder(), 'statements');
  const poll = { minMs: 60_000, maxMs: 3_600_000 };
  const activities = bankingActivities({
    fourEyes: [],
    client,
    statements: folderStore(folder),
    poll,
    meaningOf: async () => undefined,
  });
  const heartbeats: unknown[] = [];
  const run: Run = (name, request, info = {}) => {
    const attempt = environment(info);
    attempt.on('heartbeat', (details) => heartbeats.push(details));
    return attempt.run(activities[name] as never as (request: unknown) => Promise<never>, request);
  };
  return { run, folder, heartbeats };
}

/** The banking activities of a user of a sandbox. Its password is the user name. */
export async function activitiesAtSandbox(user = 'sandbox') {
  const banking = await runBanking();
  const client = clientAt(banking.url, { username: user, password: user });
  return { banking, ...(await activitiesOf(client)) };
}

/** The failure of an activity: the partner's error, and whether the server would retry it. */
export interface Failed {
  readonly details: PartnerErrorDetails;
  readonly isRetried: boolean;
}

/** The partner's failure of an activity. Anything else, including success, fails the test. */
export async function failed(activity: Promise<unknown>): Promise<Failed> {
  const outcome = await activity.catch((error: unknown) => error);
  if (!(outcome instanceof ApplicationFailure) || outcome.type !== 'PartnerError') {
    throw new Error('expected a failure of the partner', { cause: outcome });
  }
  const [details] = outcome.details as [PartnerErrorDetails];
  return { details, isRetried: !outcome.nonRetryable };
}

/** A business in the form of an input, which plays a scenario of the sandbox. */
export function holderRequest(scenario = 'straight', more: object = {}) {
  const holder = JSON.parse(HOLDER);
  const doingBusinessAsName = `Corner Bakery [${scenario}]`;
  return {
    holder: { ...holder, doingBusinessAsName, ...more },
    beneficialOwners: [OWNER],
    since: '2026-01-31T10:00:00Z',
  };
}

/** Plans a fault of the sandbox. */
export const plan = (banking: RunningBanking, fault: string, operation: string) =>
  banking.control('POST /sandbox/faults', JSON.stringify({ fault, operation }));
