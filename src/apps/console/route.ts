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
 * abandons onboardings, and confirms proposed answers. `admin` starts onboardings.
 */
export type Role = (typeof ROLES)[number];

export interface User {
  /** The verified subject at the identity provider, or this machine's user if there is none. Workflows record it as the actor. */
  readonly actor: string;
  /** The name on pages: `Ada Park`. */
  readonly name: string;
  readonly role: Role;
  /** The partner accounts that this person may see, '' for the unnamed account; undefined for all. */
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
  /** Writes the audit log: who saw or did what. The log never contains a private value. */
  readonly audit: (user: User, event: AuditEvent) => void;
}

export interface AuditEvent {
  /** The action: `answer`, `show private values`, `start`. */
  readonly what: string;
  readonly workflowId?: string;
  readonly requirementId?: string;
  /** The kind of the answer, or the name of the field, never a private value. */
  readonly detail?: string;
  /** What the workflow did with an answer. Metrics count answers by `detail` and `result`. */
  readonly result?: 'accepted' | 'proposed' | 'rejected';
}

/** The browser's time zone. Pages without it have times in UTC. Their script sets the cookie and converts the times. */
export const ZONE_COOKIE = 'gangway-zone';

/** A request of a person who has signed in. */
export interface RequestContext extends Console {
  readonly user: User;
  /** The value of the field `csrf` in each form. */
  readonly csrf: string;
  readonly times: Times;
  /** The fields of the form, or of the address if there is no form. A form with files has its fields in the upload. */
  readonly fields: Fields;
  /** The parameters of the path, such as `id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The request whose page is being rendered. Components read it with {@link useRequest}. */
export const CurrentRequest = createContext<RequestContext | undefined>(undefined);

export function useRequest(): RequestContext {
  const context = useContext(CurrentRequest);
  if (!context) throw new TypeError('shown outside a visit');
  return context;
}

export type RouteResponse =
  /** `waiting` is the number in the navigation. If absent, it is counted. */
  | {
      readonly page: VNode;
      readonly title: string;
      readonly status?: number;
      readonly waiting?: number | undefined;
    }
  | { readonly part: VNode }
  /** The redirect after a form, with a message for the next page. */
  | { readonly to: string; readonly message?: string; readonly isProblem?: true }
  /** A file that the browser saves and never shows. */
  | { readonly file: Readable | string; readonly fileName: string; readonly contentType: string };

/** A page or a form of the console. Tests check the roles of all routes against this table. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Such as `/onboardings/:id`. */
  readonly path: string;
  readonly role: Role;
  /**
   * A part of a page that a script reads. Without a session, it responds with 401, not with a redirect to the sign-in. It does not
   * extend the session, because an open page would keep it alive forever.
   */
  readonly part?: true;
  /** Accepts files as multipart/form-data. The handler must check the field `csrf` against {@link RequestContext.csrf}. */
  readonly multipart?: true;
  /**
   * Shows the form again, as it was typed, if Temporal does not respond. Nobody then knows whether the session was ended, so all
   * requests of the handler to Temporal fail at once.
   */
  readonly keepsTyped?: true;
  readonly show: (context: RequestContext) => Promise<RouteResponse>;
}

/** Responds with an error page. The message is for people, and never quotes the request. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 421 | 422 | 429 | 503,
    message: string,
  ) {
    super(message);
  }
}

/** Ends a request with a redirect to another page. */
export class Redirect extends Error {
  override readonly name = 'Redirect';
  constructor(readonly response: RouteResponse) {
    super('another page');
  }
}

/** @throws {PageError} if a person has only a lower role */
export function requireRole(user: Pick<User, 'role'>, role: Role): void {
  if (hasRole(user, role)) return;
  throw new PageError(403, `This needs the role ${role}. Your role is ${user.role}.`);
}

/** The time in which a repeated form counts as a double click, in milliseconds. */
const DOUBLE_CLICK_MS = 2_000;

interface Click {
  readonly form: string;
  readonly response: Promise<RouteResponse>;
}

/** The last form of each session, by the session's token. */
const clicks = new WeakMap<Client, Map<string, Click>>();

/**
 * Handles a form once: the second click of a double click gets the same response as the first. Forgets a form that failed or led to
 * no other page, so a person can try again.
 *
 * @param content distinguishes forms to the same address. Default: the form's fields
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
