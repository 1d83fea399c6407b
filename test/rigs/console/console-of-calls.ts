import type { Readable } from 'node:stream';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, TypedSearchAttributes } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Message } from '../../../src/apps/console/layout.js';
import { ROUTES } from '../../../src/apps/console/pages/routes.js';
import type { Route } from '../../../src/apps/console/route.js';
import { consoleServer } from '../../../src/apps/console/server.js';
import { type SessionData, Sessions } from '../../../src/apps/console/session.js';
import { type ConsoleSettings, loadConsoleSettings } from '../../../src/apps/console/settings.js';
import type { OnboardingState } from '../../../src/messages/onboarding-state.js';
import type { AnswerKind } from '../../../src/messages/requirements.js';
import { SEARCH_ATTRIBUTES } from '../../../src/messages/search-attributes.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import { merchant } from '../inputs.js';
import { testEnds } from '../shared.js';
import { grpcError, indexedFields, payloads } from '../temporal/answering-service.js';
import { SESSION_KEY, type Sent } from './running-console.js';

/** A workflow as Temporal would return it. */
export interface GivenWorkflow {
  readonly state?: Partial<OnboardingState>;
  /** Of its search attribute. */
  readonly account?: string;
  readonly dba?: string;
  /** The workflow that started it. */
  readonly parent?: string;
  /** What other queries return, by their names. */
  readonly queries?: Readonly<Record<string, unknown>>;
}

/** What Temporal has and does in a test. */
export interface Given {
  /** By workflow id. */
  readonly workflows?: Readonly<Record<string, GivenWorkflow>>;
  /** What an update returns. @throws {Error} as its workflow would */
  readonly onUpdate?: (name: string, request: unknown) => unknown;
  /** What the start of a workflow returns. @throws {Error} as the client would */
  readonly onStart?: () => unknown;
  readonly isReady?: boolean;
  /** Whether every session was ended, at this or another console, or why it is unknown. */
  readonly hasSignedOut?: boolean | Error;
  /** How many workflows every count finds. */
  readonly counted?: number;
  /** How many workflows of account `south` every list has, at most a page. */
  readonly ofSouth?: number;
}

export const STATE: OnboardingState = {
  stage: 'underwriting',
  partnerStatus: 'Pending',
  requirements: [],
  timeline: [],
};

/** A boarding that asks about `note-1`, which takes these answers. */
export function noted(at: string, answers: readonly AnswerKind[]): GivenWorkflow {
  const note = { id: 'note-1', kind: 'underwriting-note', title: 'A note', detail: 'Send a check.' } as const;
  return {
    state: { requirements: [{ ...note, raisedAt: at, dueAt: at, answers: [...answers] }] },
    queries: { input: { type: 'merchantBoarding', input: merchant('a') } },
  };
}

/** The error of the client when a workflow rejects an update. */
export function rejected(message: string): WorkflowUpdateFailedError {
  return new WorkflowUpdateFailedError('Update failed', ApplicationFailure.nonRetryable(message));
}

/** A client of a Temporal that a test makes up, and everything that it was asked. */
export function clientOfCalls({
  workflows = {},
  onUpdate = () => ({ open: 0 }),
  onStart = () => ({}),
  isReady = true,
  hasSignedOut = false,
  counted = 0,
  ofSouth = 0,
}: Given) {
  const questions: unknown[][] = [];
  const started = new Map<string, number>();
  const getHandle = (workflowId: string) => {
    const existing = () => {
      const result = workflows[workflowId];
      if (!result) throw new WorkflowNotFoundError('not found', workflowId, undefined);
      return result;
    };
    return {
      async describe() {
        questions.push(['describe', workflowId]);
        const { account, dba, parent } = existing();
        const execution = { workflowId, runId: 'run-1' };
        return {
          ...execution,
          historyLength: 7,
          startTime: new Date(0),
          status: { name: 'RUNNING' },
          typedSearchAttributes: new TypedSearchAttributes(
            account === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }],
          ),
          ...(parent !== undefined && { parentExecution: { workflowId: parent, runId: 'run-1' } }),
          raw: {
            workflowExecutionInfo: {
              execution,
              status: 1,
              startTime: msToTs(0),
              ...(dba !== undefined && { searchAttributes: { indexedFields: indexedFields({ Dba: dba }) } }),
            },
          },
        };
      },
      async query({ name }: { readonly name: string }) {
        questions.push(['query', workflowId, name]);
        const { state, queries = {} } = existing();
        return name === 'state' ? { ...STATE, ...state } : queries[name];
      },
      fetchHistory: async () => ({
        events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: payloads({}) } } }],
      }),
      terminate: async () => undefined,
      async executeUpdate({ name }: { readonly name: string }, { args }: { readonly args: unknown[] }) {
        existing();
        questions.push([name, workflowId, ...args]);
        return onUpdate(name, args[0]);
      },
    };
  };
  const withDeadline = <Result>(deadline: number, call: () => Result) => {
    questions.push(['deadline', deadline]);
    return call();
  };
  const describeNamespace = async () => {
    if (!isReady) throw grpcError('UNAVAILABLE');
    return {};
  };
  const describeWorkflowExecution = async ({ execution }: { execution: { workflowId: string } }) => {
    questions.push(['has ended']);
    if (!isReady) throw grpcError('UNAVAILABLE');
    if (hasSignedOut instanceof Error) throw hasSignedOut;
    const startedAt = started.get(execution.workflowId);
    if (!hasSignedOut && startedAt === undefined)
      throw new WorkflowNotFoundError('not found', execution.workflowId, undefined);
    return { workflowExecutionInfo: { startTime: msToTs(startedAt ?? 0) } };
  };
  const start = async (type: string, { workflowId }: { readonly workflowId: string }) => {
    if (!isReady) throw grpcError('UNAVAILABLE');
    questions.push(['start', type, workflowId]);
    started.set(workflowId, Date.now());
    return onStart();
  };
  const listWorkflowExecutions = async (request: { readonly query: string; readonly pageSize: number }) => {
    questions.push(['list', request.query]);
    const executions = Array.from({ length: Math.min(ofSouth, request.pageSize) }, (_, number) => ({
      execution: { workflowId: `merchant-boarding-m-${number}@south`, runId: 'run-1' },
      type: { name: 'merchantBoarding' },
      status: 1,
      startTime: msToTs(0),
    }));
    return { executions };
  };
  const count = async (query: string) => {
    questions.push(['list', query], ['count', query]);
    return { count: counted };
  };
  const list = async function* () {};
  const client = {
    options: { namespace: 'default', loadedDataConverter: loadDataConverter() },
    workflow: { getHandle, count, start, list },
    withDeadline,
    connection: { withDeadline },
    workflowService: { describeNamespace, describeWorkflowExecution, listWorkflowExecutions },
  };
  return { client: client as unknown as Client, asked: questions };
}

export interface CallOptions extends Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly requestsPerMinute?: number;
  /** Default: all pages. */
  readonly routes?: readonly Route[];
  readonly registry?: Registry;
}

/** What to send besides the path. `csrf` of a form is that of the session by default. */
interface Call {
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  /** Any other body, which makes it a POST. */
  readonly body?: Sent['body'];
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  /** Further cookies. */
  readonly cookies?: Readonly<Record<string, string>>;
}

/** Settings of a console at which people sign in. */
export const PROVIDER = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'console',
  CONSOLE_URL: 'https://console.example.com',
  CONSOLE_SESSION_KEYS: SESSION_KEY,
};

const HOURS_12 = 43_200_000;

/** Settings by their environment: to read them takes longer than a request. */
const READ = new WeakMap<object, ConsoleSettings>();

/** A console that does not listen: each request is a call, and a session begins without a sign-in. */
export async function consoleOfCalls(options: CallOptions = {}) {
  const { env = PROVIDER, routes = ROUTES, requestsPerMinute = 3_000, registry, ...callback } = options;
  const read = READ.get(env) ?? loadConsoleSettings({ DOCUMENT_DIR: '/dev/null/documents', ...env });
  READ.set(env, read);
  const settings = { ...read, requestsPerMinute };
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const { client, asked: questions } = clientOfCalls(callback);
  const server = await consoleServer({ settings, client, logger, routes, ...(registry && { registry }) });
  testEnds(() => server.close());
  // A call has arrived as a whole.
  server.addHook('onSend', async ({ raw }) => void Object.assign(raw, { complete: true }));
  // Where the console would listen.
  server.server.address = () => ({ address: '127.0.0.1', family: 'IPv4', port: 8085 });
  const keys = settings.sessionKeys;
  const sessions = new Sessions({ keys, idleMs: HOURS_12, maxMs: HOURS_12, isSecure: true });

  /** Opens a page as this person, or as nobody. */
  async function open(who: Partial<SessionData> | undefined, url: string, call: Call = {}) {
    const { form, body, headers = {}, method = form || body ? 'POST' : 'GET' } = call;
    const session = { ...OLGA, since: Date.now(), ...who };
    const cookies: Record<string, string> = { ...call.cookies };
    const setCookie = (name: string, value: string) => {
      cookies[name] = value;
    };
    const signedIn = { setCookie } as unknown as FastifyReply;
    if (who) await sessions.write(signedIn, session);
    if (who)
      await sessions.keep(
        signedIn,
        'account',
        { csrf: session.csrf, subject: 'p-1', checked: Date.now() },
        HOURS_12,
      );
    const csrf = who ? session.csrf : '';
    const reply = await server.inject({
      method,
      url,
      cookies,
      headers: {
        host: settings.url ? new URL(settings.url).host : 'localhost:8085',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(body && { payload: body as Readable }),
      ...(form && { payload: new URLSearchParams(pairsOf({ csrf, ...form })).toString() }),
    });
    const { statusCode: status, payload: text, headers: replied, cookies: entries } = reply;
    const now = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
    const next = { cookies: now } as unknown as FastifyRequest;
    const message = (await sessions.readEntry(next, 'message', 30_000)) as Message | undefined;
    return {
      status,
      text,
      headers: replied,
      to: replied['location'],
      cookies: Object.keys(now),
      kept: now,
      /** What the next page would show. */
      message: message && { text: message.text },
      isProblem: message?.isProblem,
    };
  }

  const log = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const audited = () => log().flatMap(({ audit, level, time, msg, ...entry }) => (audit ? [entry] : []));
  /** The updates that workflows got. */
  const updates = () => questions.filter(([what]) => /[A-Z]/.test(String(what)));
  return { server, client, asked: questions, open, log, audited, updates };
}

/** The names and values of a form, of which some have more than one. */
function pairsOf(form: Readonly<Record<string, string | readonly string[]>>): [string, string][] {
  return Object.entries(form).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

/** An operator who may see all accounts. */
export const OLGA = { actor: 'olga', name: 'Olga', role: 'operator', csrf: 'csrf-of-olga' } as const;
