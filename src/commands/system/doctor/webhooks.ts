import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { Deadline } from '../../../http/deadline.js';
import type { RegisteredWebhook } from '../../../partners/partner.js';
import { PartnerError } from '../../../partners/partner-error.js';
import { PARTNERS, type SystemName } from '../../../partners/systems.js';
import type { ProblemKind } from '../../../receiver/problems.js';
import { authSetting, type SenderRule } from '../../../receiver/settings.js';
import { isSecureOrLoopback } from '../../../settings/settings.js';
import { messageOf, ok, type Verdict, warn, wrong } from './check.js';

/** How the webhooks of each partner authenticate, as set here; empty for a partner whose webhooks are off. */
export type WebhookSenders = Readonly<Partial<Record<SystemName, readonly SenderRule[]>>>;

/** How long a receiver may take to respond, in milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * Sends an empty webhook, as the partner would, to each URL that is registered there and leads to a receiver of Gangway. It nudges
 * nothing. Another program at such a URL is only asked for a response, and gets no credential.
 */
export async function examineWebhooks(
  system: SystemName,
  list: () => Promise<readonly RegisteredWebhook[]>,
  rules: readonly SenderRule[],
  signal: AbortSignal,
): Promise<Verdict[]> {
  let registered: readonly RegisteredWebhook[];
  try {
    registered = await list();
  } catch (error) {
    // Not every partner lets every account list them.
    if (error instanceof PartnerError) return [ok(`not checked, because ${messageOf(error)}`)];
    throw error;
  }
  if (registered.length === 0) {
    const none = `none is registered at the ${PARTNERS[system].name}, so onboardings notice a change at their next poll`;
    return [rules.length > 0 ? warn(none, 'run "gangway ensure-webhooks FILE"') : ok(none)];
  }
  const agent = new Agent();
  try {
    const examiner = { system, rules, ask: (target: URL, sent: Sent) => ask(target, sent, agent, signal) };
    const verdicts = await Promise.all(registered.map((webhook) => examineOne(webhook, examiner)));
    const problems = verdicts.filter(({ state }) => state !== 'ok');
    if (problems.length > 0) return problems;
    return [ok(verdicts.map(({ detail }) => detail).join('; '))];
  } finally {
    await agent.destroy();
  }
}

interface Examiner {
  readonly system: SystemName;
  readonly rules: readonly SenderRule[];
  readonly ask: (target: URL, sent: Sent) => Promise<Reached>;
}

async function examineOne(webhook: RegisteredWebhook, examiner: Examiner): Promise<Verdict> {
  const { system, rules } = examiner;
  const { id, url, topic } = webhook;
  const target = url !== null && URL.canParse(url) ? new URL(url) : undefined;
  const edit = `run "gangway call ${system} update-webhook" or "delete-webhook" for webhookId ${id}`;
  if (!target) return wrong(`webhook ${id} (${topic}) has no URL`, edit);
  const [path, secret] = pathOf(system, target);
  const what = `webhook ${id} (${topic}) to ${target.origin}${path}`;
  const start = `start the receiver there ("npm run receiver"), or ${edit}`;
  if (!isSecureOrLoopback(target))
    return wrong(`${what}: anyone on the network can read it`, `${edit}, with https`);

  const found = await examiner.ask(target, { method: 'GET' });
  if ('failure' in found) return wrong(`${what}: nothing receives it: ${found.failure}`, start);
  if (found.problem === undefined) {
    const { status } = found;
    return status >= 500 || status === 404 || status === 410
      ? wrong(`${what}: not a Gangway receiver: it responds with HTTP ${status}`, start)
      : ok(`${what} leads to another program`);
  }
  if (found.problem === 'unknown-path')
    return wrong(`${what}: the receiver has no such path`, `${edit}, with the path /webhooks/${system}`);

  const sent = await examiner.ask(target, emptyWebhook(secret ? [] : rules));
  if ('failure' in sent) return wrong(`${what}: nothing receives it: ${sent.failure}`, start);
  const setting = authSetting(system);
  if (sent.problem === 'partner-off')
    return wrong(
      `${what}: the receiver rejects it, because ${setting} is not set there`,
      `set ${setting} for the receiver`,
    );
  if (sent.problem === 'bad-sender' && !secret && rules.length === 0)
    return warn(
      `${what}: it is unknown how the receiver authenticates it`,
      `set ${setting} here to the value for the receiver`,
    );
  if (sent.problem === 'bad-sender')
    return wrong(
      `${what}: the receiver rejects its credential`,
      secret
        ? `${edit}, with the secret of ${setting} at the end of the URL`
        : `set the same ${setting} here and for the receiver`,
    );
  return sent.status > 299
    ? wrong(`${what}: the receiver responds with HTTP ${sent.status}`, 'look for the request in its log')
    : ok(`${what} is received`);
}

/** What may be shown of the path, which may hold a secret; and whether it does, as far as a receiver of Gangway takes one there. */
function pathOf(system: SystemName, { pathname }: URL): [shown: string, hasSecret: boolean] {
  const [, own, secret] = new RegExp(`(/webhooks/${system})(/[^/]+)?$`).exec(pathname) ?? [];
  if (!own) return ['/...', false];
  return [secret ? `${own}/...` : own, secret !== undefined];
}

/** Without ids, it is about no onboarding. */
const EMPTY = '{}';

/** As the partner would send it, with the first credential that is set. */
function emptyWebhook(rules: readonly SenderRule[]): Sent {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const [rule] = rules.filter(({ kind }) => kind === 'signature' || kind === 'header');
  if (rule?.kind === 'header') headers[rule.name] = rule.value;
  if (rule?.kind === 'signature') {
    const [id, now] = [`gangway-doctor-${randomUUID()}`, new Date()];
    headers['webhook-id'] = id;
    headers['webhook-timestamp'] = `${Math.floor(now.getTime() / 1_000)}`;
    headers['webhook-signature'] = new Webhook(rule.secret).sign(id, now, EMPTY);
  }
  return { method: 'POST', headers, body: EMPTY };
}

type Sent = {
  readonly method: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** The response, and its problem if a receiver of Gangway sent it; or why there is none. */
type Reached =
  | { readonly status: number; readonly problem: ProblemKind | undefined }
  | { readonly failure: string };

async function ask(target: URL, sent: Sent, dispatcher: Agent, until: AbortSignal): Promise<Reached> {
  const deadline = new Deadline({ ms: TIMEOUT_MS, until });
  try {
    const {
      statusCode: status,
      headers,
      body,
    } = await request(target, { ...sent, dispatcher, signal: deadline.signal });
    const isProblem = String(headers['content-type']).startsWith('application/problem+json');
    if (isProblem) return { status, problem: problemIn(await beginningOf(body)) };
    await body.dump();
    return { status, problem: undefined };
  } catch (error) {
    until.throwIfAborted();
    if (deadline.signal.aborted) return { failure: `no response within ${TIMEOUT_MS / 1_000} s` };
    return { failure: (error as NodeJS.ErrnoException).code ?? 'the connection failed' };
  } finally {
    deadline.release();
  }
}

/** A receiver's problem is short. */
const MAX_PROBLEM_BYTES = 16 * 1024;

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let beginning = Buffer.alloc(0);
  for await (const chunk of body) {
    beginning = Buffer.concat([beginning, chunk]);
    if (beginning.length > MAX_PROBLEM_BYTES) break;
  }
  return beginning.toString();
}

function problemIn(text: string): ProblemKind | undefined {
  const kind = /"type": ?"urn:gangway:problem:([a-z-]+)"/.exec(text)?.[1];
  return kind as ProblemKind | undefined;
}
