import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { ROLES } from '../../messages/actors.js';
import type { Times } from '../../services/texts/time.js';
import type { Fields } from './query.js';
import type { ConsoleSettings } from './settings.js';

/**
 * `viewer` sees onboardings with private values masked. `operator` answers requirements. `approver` decides about uncertain writes,
 * abandons, and confirms what another person proposed. `admin` starts onboardings.
 */
export type Role = (typeof ROLES)[number];

export interface User {
  /** The verified subject at the identity provider; without one, the user of this machine. Workflows record it as the actor. */
  readonly actor: string;
  /** For the page: `Ada Park`. */
  readonly name: string;
  readonly role: Role;
  /** The partner accounts that this person may see, '' for the account without a name; undefined for all. */
  readonly accounts: readonly string[] | undefined;
}

export function hasRole({ role }: Pick<User, 'role'>, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function maySee({ accounts }: Pick<User, 'accounts'>, account: string | undefined): boolean {
  return accounts === undefined || accounts.includes(account ?? '');
}

export interface Console {
  readonly settings: ConsoleSettings;
  readonly client: Client;
  readonly logger: Logger;
  /** Writes the audit log: who saw or did what. Never holds a private value. */
  readonly audit: (user: User, event: AuditEvent) => void;
}

export interface AuditEvent {
  /** `answer`, `show private values`, `start`. */
  readonly what: string;
  readonly workflowId?: string;
  readonly requirementId?: string;
  /** The kind of the answer, the name of the field: nothing private. */
  readonly detail?: string;
  /** For an answer: what the workflow did with it. Metrics count answers by `detail` and by this. */
  readonly result?: 'accepted' | 'proposed' | 'rejected';
}

/** The browser's time zone, which the script of the page sets. Without it, times are in UTC: the script changes those of the first page. */
export const ZONE_COOKIE = 'gangway-zone';

/** One request of a person who has signed in. */
export interface RequestContext extends Console {
  readonly user: User;
  /** Goes into each form as field `csrf`. */
  readonly csrf: string;
  readonly times: Times;
  /** Of its form, or else of its address. Those of a form with files come with the files. */
  readonly fields: Fields;
  /** The variable parts of its path: `id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The request that the page being rendered belongs to. Components read it with {@link useRequest}. */
export const CurrentRequest = createContext<RequestContext | undefined>(undefined);

export function useRequest(): RequestContext {
  const context = useContext(CurrentRequest);
  if (!context) throw new TypeError('shown outside a visit');
  return context;
}

export type RouteResponse =
  /** `waiting`: the number in the navigation. Default: counted. */
  | {
      readonly page: VNode;
      readonly title: string;
      readonly status?: number;
      readonly waiting?: number | undefined;
    }
  | { readonly part: VNode }
  /** After a form: another page, with a message on it. */
  | { readonly to: string; readonly message?: string; readonly isProblem?: true }
  /** A file to save, never to show. */
  | { readonly file: Readable | string; readonly fileName: string; readonly contentType: string };

/** A page or a form of the console. The table of all routes is what tests check roles against. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** `/onboardings/:id` */
  readonly path: string;
  readonly role: Role;
  /**
   * A script reads it: a part of a page. Without a session the response is 401 instead of the way to the
   * sign-in, and it does not extend the session, because an open page would never let it end.
   */
  readonly part?: true;
  /** Takes files as multipart/form-data; then the handler checks the field `csrf` itself, with {@link RequestContext.csrf}. */
  readonly multipart?: true;
  /**
   * Shows again what was typed when Temporal does not respond. It is then unknown whether the session was ended, so all its
   * requests to Temporal fail at once.
   */
  readonly keepsTyped?: true;
  readonly show: (context: RequestContext) => Promise<RouteResponse>;
}

/** A page that cannot be shown. The message is for the person and quotes nothing. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 421 | 422 | 429 | 503,
    message: string,
  ) {
    super(message);
  }
}

/** Ends a request with another page than that of its route. */
export class Redirect extends Error {
  override readonly name = 'Redirect';
  constructor(readonly response: RouteResponse) {
    super('another page');
  }
}

/** @throws {PageError} when a person has only a lower role */
export function requireRole(user: Pick<User, 'role'>, role: Role): void {
  if (hasRole(user, role)) return;
  throw new PageError(403, `This needs the role ${role}. Your role is ${user.role}.`);
}

/** The time in which the same form again is a second click, in milliseconds. */
const DOUBLE_CLICK_MS = 2_000;

interface Click {
  readonly form: string;
  readonly response: Promise<RouteResponse>;
}

/** The last form of each session, by its token. */
const clicks = new WeakMap<Client, Map<string, Click>>();

/**
 * Takes a form once: the second click of a double click gets what the first one got. A form that was refused, or led to no other
 * page, is not kept, so that a person can try again.
 *
 * @param content what tells the form from another one to the same address. Default: its fields
 */
export async function handleOnce(
  { client, csrf, request: { url, body } }: Pick<RequestContext, 'client' | 'csrf' | 'request'>,
  show: () => Promise<RouteResponse>,
  content: unknown = body,
): Promise<RouteResponse> {
  const last = clicks.get(client) ?? new Map<string, Click>();
  clicks.set(client, last);
  const form = hash('sha256', JSON.stringify([url, content]));
  const before = last.get(csrf);
  if (before?.form === form) return before.response;
  const click = { form, response: show() };
  last.set(csrf, click);
  const forget = () => {
    if (last.get(csrf) === click) last.delete(csrf);
  };
  const keep = (response: RouteResponse) =>
    'to' in response ? setTimeout(forget, DOUBLE_CLICK_MS).unref() : forget();
  click.response.then(keep, forget);
  return click.response;
}
