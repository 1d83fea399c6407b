import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, type FormData, request } from 'undici';
import type { Role, Route } from '../../../src/apps/console/route.js';
import { startConsole } from '../../../src/apps/console/server.js';
import { type ConsoleSettings, loadConsoleSettings } from '../../../src/apps/console/settings.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import type { Rig } from '../rig.js';
import { testEnds, type Until } from '../shared.js';
import { asApp, isSimulated } from '../simulated-place.js';
import { type Person, type RunningProvider, runProvider } from './provider.js';

/** A secret for session cookies. */
export const SESSION_KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

/** On virtual time, days pass while a test waits, and nobody is to be signed out. */
const YEAR_MS = 365 * 24 * 3_600_000;

export interface ConsoleRigOptions {
  /** Settings of the process, which override those of the rig. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: those of the process. */
  readonly times?: Partial<Pick<ConsoleSettings, 'idleMs' | 'sessionMaxMs'>>;
  /** `null` for a console at which nobody signs in. Default: a provider of its own. */
  readonly provider?: RunningProvider | null;
  /** Default: all pages. */
  readonly routes?: readonly Route[];
}

export interface Reply {
  /** Of the request. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What to send besides the path. */
export interface Sent {
  /** Fields of a form, which makes it a POST. A person who has signed in sends `csrf` by default. */
  readonly form?: Readonly<Record<string, string>>;
  /** Any other body, such as a FormData of undici, which makes it a POST. It has `csrf` only if the caller adds it. */
  readonly body?: string | Uint8Array | Readable | FormData;
  readonly method?: Dispatcher.HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without scripts: keeps cookies, and follows nothing by itself. */
export interface BrowserUser {
  /** The cookies that it has now, by name. A test may change them. */
  readonly cookies: Map<string, string>;
  open(pathOrUrl: string, sent?: Sent): Promise<Reply>;
}

/** A visitor who has signed in. */
export interface SignedIn extends BrowserUser {
  /** The actor that workflows record. */
  readonly actor: string;
  /** The CSRF token of the session. */
  csrf(): Promise<string>;
}

export interface RunningConsole {
  /** `http://127.0.0.1:49152` */
  readonly url: string;
  readonly settings: ConsoleSettings;
  /** @throws {Error} at a console where nobody signs in */
  readonly provider: RunningProvider;
  /** A visitor who has not signed in. */
  user(): BrowserUser;
  /** A person who signs in at the provider. Default: an operator who may see all accounts. */
  signedIn(person?: Partial<Person> & { readonly role?: Role }): Promise<SignedIn>;
  close(): Promise<void>;
  /** The log so far. */
  log(): string;
  /** The entries of the audit log so far. */
  audited(): Record<string, unknown>[];
}

/** A console in the process of the test, over the Temporal server and the stores of a rig. */
export async function runConsole(
  { client, env }: Pick<Rig, 'client' | 'env'>,
  options: ConsoleRigOptions = {},
  until: Until = testEnds,
): Promise<RunningConsole> {
  const provider = options.provider === undefined ? await runProvider({}, until) : options.provider;
  const read = loadConsoleSettings({
    ...env,
    CONSOLE_ADDRESS: '127.0.0.1:0',
    ...(provider && { ...provider.env, CONSOLE_SESSION_KEYS: SESSION_KEY }),
    ...options.env,
  });
  const settings = {
    ...read,
    requestsPerMinute: 100_000,
    ...(isSimulated() && { idleMs: YEAR_MS, sessionMaxMs: YEAR_MS }),
    ...options.times,
  };
  const lines: string[] = [];
  const logger = createLogger('trace', { write: (line) => void lines.push(line) });
  const { routes } = options;
  const server = await asApp(() => startConsole({ settings, client, logger, ...(routes && { routes }) }));
  until(() => server.close());
  const user = () => userOf(server.url);
  return {
    url: server.url,
    settings,
    get provider() {
      if (!provider) throw new Error('nobody signs in at this console');
      return provider;
    },
    user,
    async signedIn({ role = 'operator', ...more } = {}) {
      if (!provider) throw new Error('nobody signs in at this console');
      const person = { sub: randomUUID(), name: 'Ada Park', roles: [role], ...more };
      provider.add(person);
      const browser = user();
      await signIn(browser, person.sub);
      const csrf = async () => {
        // Every page has it in the form of the sign-out.
        const { text } = await browser.open('/no-such-page');
        return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
      };
      return {
        ...browser,
        actor: `${person.name} (${person.sub})`,
        csrf,
        open: async (path, sent = {}) => {
          const form = sent.form && { csrf: await csrf(), ...sent.form };
          return browser.open(path, { ...sent, ...(form && { form }) });
        },
      };
    },
    close: () => server.close(),
    log: () => lines.join(''),
    audited: () =>
      lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ audit }) => audit === true)
        .map(({ level, time, audit, ...entry }) => entry),
  };
}

/** Signs in, and opens each page on the way as a browser does. @returns the page at the end */
export async function signIn(browser: BrowserUser, sub: string, path = '/sign-in'): Promise<Reply> {
  return follow(browser, await browser.open(path), sub);
}

/** More steps are a loop. */
const MOST_STEPS = 10;

/** Goes where responses lead until nothing leads further, and chooses a person on the page of the provider. */
export async function follow(browser: BrowserUser, begin: Reply, sub: string): Promise<Reply> {
  return (await goAlong(browser, begin, sub, () => false)).reply;
}

/**
 * Begins to sign in, and stops where the provider has sent the person back.
 *
 * @param begin a page of the console, or an address at the provider
 * @returns the address with the code, not yet opened
 */
export async function wayBack(browser: BrowserUser, sub: string, begin = '/sign-in'): Promise<URL> {
  const { next } = await goAlong(browser, await browser.open(begin), sub, (each) =>
    each.includes('/sign-in/return'),
  );
  if (next === undefined) throw new Error('the provider has not sent the person back');
  return new URL(next);
}

async function goAlong(
  browser: BrowserUser,
  begin: Reply,
  sub: string,
  isEnd: (next: string) => boolean,
): Promise<{ readonly reply: Reply; readonly next: string | undefined }> {
  let reply = begin;
  const way: string[] = [];
  for (;;) {
    const next = nextOf(reply);
    if (next === undefined || isEnd(next)) return { reply, next };
    way.push(`${reply.status} ${next}`);
    if (way.length > MOST_STEPS) throw new Error(`the way leads in circles: ${way.join(', ')}`);
    reply = await browser.open(next, /[/]people[/]/.test(next) ? { form: { sub } } : {});
  }
}

/** The address where a browser goes by itself after a response. */
export function nextOf({ url, status, headers }: Reply): string | undefined {
  const isRedirect = status >= 300 && status < 400;
  const next = isRedirect ? headers.get('location') : /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
  return next ? new URL(next, url).href : undefined;
}

/** A visitor of any console. */
export function userOf(consoleUrl: string): BrowserUser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async open(path, { form, body: value, headers = {}, method } = {}) {
      const url = new URL(path, consoleUrl).href;
      const body = form ? new URLSearchParams(form).toString() : value;
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      // The console may end a connection after it has refused an upload. The next request must not be on it.
      const alone = value === undefined ? undefined : new Agent();
      // Unlike fetch, it sends any header, and none of its own.
      const sent = await request(url, {
        ...(alone && { dispatcher: alone }),
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(cookie && { cookie }),
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
      const lines = Object.entries(sent.headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      );
      const response = new Headers(lines);
      for (const line of response.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const text = await sent.body.text();
      await alone?.destroy();
      return { url, status: sent.statusCode, headers: response, text };
    },
  };
}
