import type { ComponentChildren, VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { fieldOf } from '../../messages/objects.js';
import { asset } from '../../platform/http/html-server.js';
import { SHARED_STYLE } from '../../services/reports/page.js';
import { harmless } from '../../services/texts/text.js';
import { FILTER_FORM, FIND } from './pages/filters.js';
import { Form } from './pages/parts.js';
import { Avatar, Icon } from './pages/pieces.js';
import { CurrentRequest, hasRole, type RequestContext } from './route.js';

export interface Message {
  readonly text: string;
  /** The message of a problem stays until somebody closes it. */
  readonly isProblem?: boolean;
}

export interface Layout {
  readonly title: string;
  /** The request of a signed-in person. */
  readonly context?: RequestContext | undefined;
  readonly message?: Message | undefined;
  readonly path?: string;
  /** The address that replaces a form's address in the browser's history. */
  readonly instead?: string | undefined;
  /** The number of onboardings that wait for a person. */
  readonly waiting?: number | undefined;
}

const NAVIGATION = [
  { path: '/', name: 'Inbox', role: 'viewer', icon: 'inbox' },
  { path: '/onboardings', name: 'Onboardings', role: 'viewer', icon: 'list-unordered' },
  { path: '/activity', name: 'Activity', role: 'viewer', icon: 'pulse' },
  { path: '/start', name: 'Start', role: 'admin', icon: 'plus-circle' },
  { path: '/report', name: 'Report', role: 'viewer', icon: 'graph' },
] as const;

/** The pages whose filter includes the search field. On any other page, the field finds onboardings. */
const FILTERED: readonly string[] = ['/', '/onboardings', '/activity'];

/** The labels of search fields that do not search all onboardings. */
const SEARCHES = { '/': 'Find in the inbox', '/activity': 'Find in the activity' };

function isAt(path: string, itemPath: string): boolean {
  const at = path.startsWith('/batches/') ? '/start' : path;
  return at === itemPath || (itemPath !== '/' && at.startsWith(`${itemPath}/`));
}

/** Renders a whole page as HTML. */
export function renderConsolePage(layout: Layout, children: ComponentChildren): string {
  return `<!doctype html>${renderPart(layout.context, <Page {...layout}>{children}</Page>)}`;
}

/** Renders a part of a page. Escapes every text, and removes control characters and marks that reverse the text direction. */
export function renderPart(context: RequestContext | undefined, part: VNode): string {
  return harmless(renderToString(<CurrentRequest.Provider value={context}>{part}</CurrentRequest.Provider>));
}

function Top({ context, path = '', waiting }: Layout) {
  const user = context?.user;
  const isFilter = FILTERED.includes(path);
  const own = fieldOf(SEARCHES, path);
  const search = own ?? 'Find a business or an ID';
  return (
    <header class="top">
      <a class="brand" href="/" aria-label="Gangway">
        <Mark />
        <svg
          height="26"
          viewBox="0 0 96 26"
          fill="none"
          stroke="currentColor"
          stroke-width="2.6"
          aria-hidden="true"
        >
          <path d={WORD} stroke-linecap="round" stroke-linejoin="round" />
        </svg>
      </a>
      {user && (
        <>
          <p class="on-paper">
            As of <time>{context.times.at(new Date())}</time>, for {user.name}
          </p>
          <nav aria-label="Main">
            {NAVIGATION.filter(({ role }) => hasRole(user, role)).map((item) => (
              <a href={item.path} aria-current={isAt(path, item.path) ? 'page' : undefined}>
                <Icon name={item.icon} />
                {item.path === '/' ? <InboxName waiting={waiting} /> : item.name}
              </a>
            ))}
          </nav>
          <search aria-label={search}>
            <form class="find" action="/onboardings">
              <input
                type="search"
                name="find"
                id="find-anywhere"
                form={isFilter ? FILTER_FORM : undefined}
                value={isFilter ? FIND.read(context.fields.text('find')) : ''}
                aria-label={search}
                placeholder={own ?? 'Business, ID or mid'}
                maxLength={200}
                autoComplete="off"
              />
            </form>
          </search>
          <div class="who" title={`${user.name}, ${user.role}`}>
            <Avatar actor={user.name} />
            <span>
              {user.name}, {user.role}
            </span>
            {context.settings.oidc && (
              <Form action="/sign-out">
                <button type="submit" class="plain" aria-label="Sign out" title="Sign out">
                  <Icon name="sign-out" />
                </button>
              </Form>
            )}
          </div>
        </>
      )}
    </header>
  );
}

/** `Inbox 3`. A live inbox updates the number. */
function InboxName({ waiting = 0 }: Pick<Layout, 'waiting'>) {
  return (
    <>
      Inbox <span id="waiting">{waiting > 0 && waiting}</span>
    </>
  );
}

/** The logo: a gangway from the quay up to a deck. For the tab, a script draws the number of waiting onboardings on it. */
function Mark() {
  return (
    <svg xmlns="http://www.w3.org/2000/svg" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1d5fc4" />
      <path d="M5 24h6L21 12h6M11 18v6M16 12v6M21 7v5" fill="none" stroke="#fff" stroke-width="3" />
    </svg>
  );
}

/** The word "gangway" as SVG strokes: seven letters of equal height, made of circles and lines. */
const WORD =
  'M12 13a5 5 0 1 1-10 0 5 5 0 0 1 10 0V7.5v11a5 5 0 0 1-8.5 3.5M26 13a5 5 0 1 1-10 0 5 5 0 0 1 10 0V7.5V18.5' +
  'M30 18.5v-11V13a4.5 4.5 0 0 1 9 0v5.5M53 13a5 5 0 1 1-10 0 5 5 0 0 1 10 0V7.5v11a5 5 0 0 1-8.5 3.5' +
  'M56.5 7.5l3.5 11 3.5-10 3.5 10 3.5-11M83.5 13a5 5 0 1 1-10 0 5 5 0 0 1 10 0V7.5V18.5M87 7.5l4 11M95 7.5l-5.5 15.5';

/** The list of keyboard shortcuts. Only the page's script opens it. */
function Keys() {
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <article>
        <h2 id="keys-title">Keys</h2>
        <dl class="known">
          {Object.entries(KEYS).map(([key, what]) => (
            <>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </article>
    </dialog>
  );
}

const KEYS = {
  j: 'the next row of the inbox',
  k: 'the row before',
  Enter: 'open the row',
  x: 'select the row',
  c: 'claim the requirement of this page',
  '/': 'find a business or an ID',
  '?': 'these keys',
} as const;

function Page(frame: Layout & { readonly children: ComponentChildren }) {
  const { title, context, message, path, instead, waiting = 0, children } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${path === '/' && waiting > 0 ? `(${waiting}) ` : ''}${title} · Gangway`}</title>
        <link rel="icon" type="image/svg+xml" href={ASSETS.mark.path} />
        <link rel="stylesheet" href={ASSETS.shared.path} />
        <link rel="stylesheet" href={ASSETS.style.path} />
        <script src={ASSETS.script.path} defer />
      </head>
      {/* Drafts in the browser belong to one person. */}
      <body data-person={context?.user.actor} data-instead={instead}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Top {...frame} />
        <section aria-label="Notices">
          {message && (
            <div class="toast" data-passing={message.isProblem ? undefined : ''}>
              <Icon name={message.isProblem ? 'alert' : 'check-circle'} />
              <p class="message" role="status" tabIndex={-1} data-focus="" {...{ autoFocus: true }}>
                {message.text}
              </p>
              <button type="button" class="plain" data-close="" aria-label="Close the message">
                <Icon name="x" />
              </button>
            </div>
          )}
          <p id="old-note" class="warning chart-asks toast" role="status" hidden>
            The console does not respond, so this page may be out of date. It retries automatically.
          </p>
        </section>
        <main id="main">{children}</main>
        {context && !context.settings.oidc && (
          <footer class="warning chart-asks">
            There is no sign-in, because no identity provider is set. Everyone on this machine acts as{' '}
            {context.user.name}.
          </footer>
        )}
        {context && <Keys />}
      </body>
    </html>
  );
}

const TITLES: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found' };

/** The advice for an error page whose message has none, by HTTP status. */
const NEXT_STEPS: Readonly<Record<number, string>> = {
  404: 'The address may be incomplete, or the onboarding belongs to a partner account that you may not see.',
  500: 'Nothing is known to be lost. Tell the team that runs Gangway when it happened.',
  503: 'Nothing is lost. Try again in a moment.',
};

/**
 * @param message the message for people
 * @param details a program's message, for the team that runs Gangway
 */
export function errorPage(status: number, message: string, details?: string) {
  const title = TITLES[status] ?? 'Something went wrong';
  const page = (
    <section class="empty error" aria-labelledby="error-title">
      <h1 id="error-title">
        <Icon name={status === 404 ? 'search' : 'alert'} /> {title}
      </h1>
      <p>{message}</p>
      {status in NEXT_STEPS && <p class="advice">{NEXT_STEPS[status]}</p>}
      {status === 404 && (
        <search aria-label="Find an onboarding">
          <form action="/onboardings">
            <input
              type="search"
              name="find"
              aria-label="Name or ID"
              placeholder="Name or ID"
              maxLength={200}
            />
            <button type="submit">Find</button>
          </form>
        </search>
      )}
      <p>
        {status === 503 && <RetryLink />} <a href="/">Back to the inbox</a>
      </p>
      {details !== undefined && (
        <details>
          <summary>Details</summary>
          <code>{details}</code>
        </details>
      )}
    </section>
  );
  return { status, title, page };
}

/** A link that repeats a read. A person resends a form from its own page. */
function RetryLink() {
  const request = useContext(CurrentRequest)?.request;
  return request?.method === 'GET' ? <a href={request.url}>Try again</a> : null;
}

export const ASSETS = {
  /** The styles of charts, tables and facts, shared with the pages that the command line writes. */
  shared: asset('shared.css', 'text/css; charset=utf-8', Buffer.from(SHARED_STYLE)),
  style: asset('console/style.css', 'text/css; charset=utf-8'),
  mark: asset('mark.svg', 'image/svg+xml', Buffer.from(renderToString(<Mark />))),
  script: asset('console/client.js', 'text/javascript; charset=utf-8'),
};
