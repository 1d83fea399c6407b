import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { asset } from '../../platform/http/pages.js';
import { SHARED_STYLE } from '../../services/reports/page.js';
import { harmless } from '../../services/texts/text.js';
import { Form } from './pages/parts.js';
import { Icon } from './pages/pieces.js';
import { CurrentRequest, hasRole, type RequestContext } from './route.js';

export interface Layout {
  readonly title: string;
  /** Of a person who has signed in. */
  readonly context?: RequestContext | undefined;
  readonly message?: string | undefined;
  readonly path?: string;
  /** How many onboardings wait for a person. */
  readonly waiting?: number | undefined;
}

const NAVIGATION = [
  { path: '/', name: 'Inbox', role: 'viewer' },
  { path: '/onboardings', name: 'Onboardings', role: 'viewer' },
  { path: '/activity', name: 'Activity', role: 'viewer' },
  { path: '/start', name: 'Start', role: 'admin' },
  { path: '/report', name: 'Report', role: 'viewer' },
] as const;

function isAt(path: string, itemPath: string): boolean {
  const at = path.startsWith('/batches/') ? '/start' : path;
  return at === itemPath || (itemPath !== '/' && at.startsWith(`${itemPath}/`));
}

/** A whole page as HTML. */
export function renderPage(layout: Layout, children: ComponentChildren): string {
  return `<!doctype html>${renderPart(layout.context, <Page {...layout}>{children}</Page>)}`;
}

/** Escapes every text, and removes control characters and marks that reverse the direction of text. */
export function renderPart(context: RequestContext | undefined, part: VNode): string {
  return harmless(renderToString(<CurrentRequest.Provider value={context}>{part}</CurrentRequest.Provider>));
}

function Top({ context, path = '', waiting }: Layout) {
  const user = context?.user;
  return (
    <header class="top">
      <a href="/">
        <strong>Gangway</strong>
      </a>
      {user && (
        <>
          <p class="on-paper">
            As of {context.times.at(new Date())}, for {user.name}
          </p>
          <nav aria-label="Main">
            {NAVIGATION.filter(({ role }) => hasRole(user, role)).map((item) => (
              <a href={item.path} aria-current={isAt(path, item.path) ? 'page' : undefined}>
                {item.path === '/' ? <InboxName waiting={waiting} /> : item.name}
              </a>
            ))}
          </nav>
          <search aria-label="All onboardings">
            <form class="find" action="/onboardings">
              <input
                type="search"
                name="find"
                id="find-anywhere"
                aria-label="Find a business or an ID"
                placeholder="Find a business or an ID"
                maxLength={200}
                autoComplete="off"
              />
            </form>
          </search>
          <div class="who actions">
            <span>
              {user.name}, {user.role}
            </span>
            {context.settings.oidc && (
              <Form action="/sign-out">
                <button type="submit" class="plain">
                  Sign out
                </button>
              </Form>
            )}
          </div>
        </>
      )}
    </header>
  );
}

/** `(3) Inbox`. A live inbox changes the number. */
function InboxName({ waiting = 0 }: Pick<Layout, 'waiting'>) {
  return (
    <>
      <span id="waiting">{waiting > 0 && `(${waiting}) `}</span>Inbox
    </>
  );
}

/** Only the script of the page opens it. */
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
  const { title, context, message, path, waiting = 0, children } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${path === '/' && waiting > 0 ? `(${waiting}) ` : ''}${title} · Gangway`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={ASSETS.shared.path} />
        <link rel="stylesheet" href={ASSETS.style.path} />
        <script src={ASSETS.script.path} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Top {...frame} />
        <section aria-label="Notices">
          {context && !context.settings.oidc && (
            <p class="warning" role="note">
              There is no sign-in, because no identity provider is set. Everyone on this machine acts as{' '}
              {context.user.name}.
            </p>
          )}
          {message && (
            <p class="message" role="status" tabIndex={-1} data-focus="" {...{ autoFocus: true }}>
              {message}
            </p>
          )}
          <p id="old-note" class="warning" role="status" hidden>
            The console does not respond, so this page may be out of date. It retries automatically.
          </p>
        </section>
        <main id="main">{children}</main>
        {context && <Keys />}
      </body>
    </html>
  );
}

const TITLES: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found' };

/** What a person can do about it, where the message does not say. */
const NEXT_STEPS: Readonly<Record<number, string>> = {
  403: 'An admin of the identity provider gives roles.',
  404: 'The address may be incomplete, or the onboarding belongs to a partner account that you may not see.',
  409: 'Somebody may have been faster. Look at the onboarding before you try again.',
  500: 'Nothing is known to be lost. Tell the team that runs Gangway when it happened.',
  503: 'Gangway loses nothing meanwhile. Try again in a moment.',
};

/** @param message for the person */
export function errorPage(status: number, message: string) {
  const title = TITLES[status] ?? 'Something went wrong';
  const page = (
    <section class="empty error" aria-labelledby="error-title">
      <Icon name={status === 404 ? 'search' : 'alert'} />
      <h1 id="error-title">{title}</h1>
      <p>{message}</p>
      <p class="advice">{NEXT_STEPS[status]}</p>
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
        <a href="/">Back to the inbox</a>
      </p>
    </section>
  );
  return { status, title, page };
}

export const ASSETS = {
  /** Styles of charts, tables and facts, as in the pages of the command line. */
  shared: asset('shared.css', 'text/css; charset=utf-8', Buffer.from(SHARED_STYLE)),
  style: asset('console/style.css', 'text/css; charset=utf-8'),
  script: asset('console/client.js', 'text/javascript; charset=utf-8'),
};
