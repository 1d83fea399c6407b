import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { redact } from '../../../platform/privacy/masked.js';
import { listenAddress } from '../../../platform/settings/settings.js';
import { describeParts } from '../../../services/reports/read-record.js';
import { packageVersion } from '../../../services/texts/docs.js';
import { queryState } from '../../../temporal/find-onboarding.js';
import { pendingIn, runsOf } from '../../../temporal/history.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { summarizeSettings } from '../../settings.js';
import { findById, type IdOptions, saveOutputFile } from '../cli/arguments.js';
import { atTemporal, type CommandContext, type CommandLine } from '../cli/command-line.js';
import type { Texts } from '../cli/options.js';
import { withProgress } from '../cli/progress.js';
import { examine } from '../system/doctor/doctor.js';

/**
 * A file about one onboarding for people who must not see its data. It contains only values in this file's allowlist, masked like a
 * failure's message. Every other text is replaced by its length.
 */

const ABOUT =
  'This file has no payloads, texts, messages or log lines: [n] stands for a text of n characters, or a payload of n bytes. A replay ' +
  'needs the payloads: run "gangway replay" where they can be read.';

export const writeBundle = atTemporal(async (context, id: string, options: IdOptions & Texts<'output'>) => {
  const { cli } = context;
  const execution = await findById(context, id, options);
  const { workflowId } = execution;
  const { output = `${workflowId.replace(/[^\w.-]/g, '_')}.bundle.json`, json } = options;
  const bundle = await withProgress(cli, 'reading the history', () => bundleOf(context, execution));
  await saveOutputFile(output, `${JSON.stringify(bundle, null, 1)}\n`);
  if (json) cli.json({ file: output, workflowId });
  else cli.line(`saved ${workflowId} to ${output}: read it before you send it`);
});

async function bundleOf({ cli, client, config }: CommandContext, execution: WorkflowExecutionDescription) {
  const descriptions = [execution, ...(await describeParts(client, execution))];
  const workflows = await Promise.all(descriptions.map((each) => recordOf(client, each)));
  const findings = await Array.fromAsync(examine(cli));
  return {
    format: 'gangway-bundle',
    version: 1,
    writtenAt: new Date().toISOString(),
    about: ABOUT,
    versions: { gangway: packageVersion(), node: process.version, platform: process.platform },
    settings: summarizeSettings(cli.env, Object.keys(config.accounts)),
    doctor: findings.map(({ check, verdict }) => findingOf(check, verdict)),
    metrics: await metricsOf(cli),
    workflows,
  };
}

const { HistoryEvent } = proto.temporal.api.history.v1;
const { PendingActivityInfo, WorkflowExecutionVersioningInfo } = proto.temporal.api.workflow.v1;

/** Converts enums to their names, and 64-bit integers to numbers. */
const AS_TEXT = { enums: String, longs: Number };

/** History fields with texts from Temporal or Gangway: types, task queues, times, run IDs, kinds of failures. */
const IN_HISTORY =
  /^(?:eventType|state|name|type|cause|retryState|timeoutType|kind|behavior|runId|\w+RunId|activityId|timerId|markerName|buildId|deploymentName|sdkName|sdkVersion)$/;

function inHistory(type: { toObject(message: never, options: typeof AS_TEXT): object }, message: unknown) {
  return harmless(type.toObject(message as never, AS_TEXT), IN_HISTORY);
}

/** Fields of the published state with a time, a partner's ID, or a word of Gangway's. */
const IN_STATE =
  /^(?:stage|partnerStatus|outcome|event|at|kind|raisedAt|dueAt|since|until|step|answers|mid|financialAccountId)$/;

/** Removes texts from a value, except in fields with these names. Replaces bytes and other texts by their length. */
function harmless(value: unknown, fields: RegExp, name = ''): unknown {
  if (typeof value === 'string') return fields.test(name) ? redact(value, 'failure') : `[${value.length}]`;
  if (value instanceof Uint8Array) return `[${value.length}]`;
  if (Array.isArray(value)) return value.map((item) => harmless(item, fields, name));
  if (typeof value !== 'object' || value === null) return value;
  if ('seconds' in value || 'nanos' in value) return timeOf(value, name);
  if ('metadata' in value && 'data' in value) return harmless(value.data, fields, name);
  return Object.fromEntries(
    Object.entries(value).map(([field, inside]) => [field, harmless(inside, fields, field)]),
  );
}

/** Returns a time in ISO 8601, or a duration in seconds. */
function timeOf({ seconds = 0, nanos = 0 }: { seconds?: unknown; nanos?: unknown }, name: string) {
  const inSeconds = Number(seconds) + Number(nanos) / 1e9;
  return /Time$/.test(name) ? new Date(inSeconds * 1_000).toISOString() : inSeconds;
}

async function recordOf(client: Client, description: WorkflowExecutionDescription) {
  const { workflowId, runId, type, status, startTime, closeTime, raw } = description;
  const { runs, missing } = await runsOf(client, workflowId, runId);
  const versioning = raw.workflowExecutionInfo?.versioningInfo;
  return {
    workflowId: redact(workflowId, 'failure'),
    type,
    status: status.name,
    startedAt: startTime,
    endedAt: closeTime,
    build: versioning && inHistory(WorkflowExecutionVersioningInfo, versioning),
    pendingActivities: pendingIn(description).map((each) => inHistory(PendingActivityInfo, each)),
    state: await queryState(client, workflowId).then(
      (state) => harmless(state, IN_STATE),
      (error: unknown) => {
        if (error instanceof UnreadableOnboarding) return { unreadable: error.obstacle };
        throw error;
      },
    ),
    missingRun: missing,
    runs: runs.map(({ runId, events }) => ({
      runId,
      events: events.map((event) => inHistory(HistoryEvent, event)),
    })),
  };
}

/** A finding about workflows whose tasks fail quotes the failures. */
function findingOf(check: string, finding: { readonly detail: string }): object {
  const detail = redact(finding.detail, 'failure').replace(/ blocked: .*/s, ' blocked');
  return { check, ...finding, detail };
}

/** The time limit for the worker's metrics, in milliseconds. A worker responds at once, or not at all. */
const METRICS_MS = 5_000;

/** Returns the worker's metrics if this command can reach them: a line for each sample, without buckets. */
async function metricsOf({ env, signal }: CommandLine): Promise<string | readonly string[]> {
  const address = listenAddress.safeParse(env['GANGWAY_METRICS_ADDRESS']).data;
  if (!address) return 'GANGWAY_METRICS_ADDRESS is not set';
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(METRICS_MS)]);
    const response = await fetch(`http://${address.host}:${address.port}/metrics`, { signal: until });
    const lines = (await response.text()).split('\n');
    return lines
      .filter((line) => /^(?:gangway|temporal)_\w+(?<!_bucket)[{ ]/.test(line))
      .map((line) => redact(line, 'log'));
  } catch {
    signal.throwIfAborted();
    return 'no worker on this machine serves metrics at GANGWAY_METRICS_ADDRESS';
  }
}
