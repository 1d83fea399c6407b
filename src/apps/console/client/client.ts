/**
 * The browser code of the console's pages. It updates parts of pages, counts characters, and checks and uploads documents. Each page
 * works without it, except for dragging files. It stores the time zone and unsent drafts in the browser.
 */
import { Idiomorph } from 'idiomorph';
import { proposedId } from '../../../services/forms/proposed-id.js';
import { restoreDrafts } from './drafts.js';
import { watchUploads } from './upload.js';
import { drawCount, followWaiting, nextEvent, showWaitingCount } from './waiting.js';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONE = `gangway-zone=${encodeURIComponent(zone)}`;
const isZoneKnown = document.cookie.split('; ').includes(ZONE);
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https
document.cookie = `${ZONE}; path=/; samesite=lax; max-age=31536000`;

/** Converts the times of a page that the server rendered in UTC: `2026-03-01 14:05:09 UTC` becomes `2026-03-01 09:05:09 EST`. */
function showZone(): void {
  const moved = (text: string) =>
    text.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d)(:\d\d)? UTC/g, (_, day, minute, second = '') => {
      const at = new Date(`${day}T${minute}${second}Z`);
      const name = at.toLocaleTimeString('en-US', { timeZoneName: 'short' }).split(' ').at(-1);
      return `${at.toLocaleString('sv-SE').slice(0, second ? 19 : 16)} ${name}`;
    });
  for (const time of document.querySelectorAll('time')) {
    time.title = moved(time.title);
    time.textContent = moved(time.textContent);
  }
}

/** The longest pause between updates after errors, in seconds. */
const LONGEST_PAUSE = 60;

/** Updates a part of the page while it is visible, or while a person wants notifications about it. */
async function keepLive(region: HTMLElement): Promise<void> {
  const seconds = Number(region.dataset['seconds']);
  let pause = isZoneKnown ? seconds : 0;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pause * 1_000));
    if (document.hidden && !isNotified(region)) await nextEvent('visibilitychange');
    const source = region.dataset['live'];
    if (!source || !region.isConnected) return;
    pause = (await update(region, source)) ? seconds : Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** @returns false if the server did not respond with it */
async function update(region: HTMLElement, source: string): Promise<boolean> {
  try {
    const response = await fetch(source, { headers: { accept: 'text/html' }, redirect: 'error' });
    if (response.status === 401) {
      notify(region, 'You are signed out of Gangway');
      delete region.dataset['new'];
      return false;
    }
    if (!response.ok) throw new Error(`${response.status}`);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.body.firstElementChild;
    if (!(fresh instanceof HTMLElement) || fresh.id !== region.id) throw new Error('another page');
    const before = { ...region.dataset };
    const apply = () => holdingStill(() => morph(region, fresh));
    // Rows may move in a hidden page, because nobody sees them. An empty list has no rows to move.
    if (hasRows(region) && movesRows(region, fresh) && !document.hidden) offer(region, fresh, apply);
    else apply();
    const more = (name: 'new' | 'mine') => Number(region.dataset[name]) - Number(before[name]);
    // The notifications have no numbers: the navigation counts onboardings, and one may have several new questions.
    if (more('new') > 0) notify(region, 'Gangway has something new');
    if (more('mine') > 0) notify(region, 'Somebody assigned something to you, or mentioned you');
    showWaitingCount(region.dataset['waiting']);
    showIsOld(false);
    countAll();
    return true;
  } catch {
    showIsOld(true);
    return false;
  }
}

const hasRows = (of: Element) => of.querySelector('tbody tr[id]') !== null;

function movesRows(region: Element, fresh: Element): boolean {
  const rows = (of: Element) => [...of.querySelectorAll('tbody tr[id]')].map(({ id }) => id).join();
  return rows(region) !== rows(fresh);
}

/** Offers a button that shows the changed list, so rows move only when a person wants it. The button takes no room in the list. */
function offer(region: HTMLElement, fresh: HTMLElement, apply: () => void): void {
  Object.assign(region.dataset, fresh.dataset);
  const status = region.querySelector('#inbox-new [role=status]');
  const button = region.querySelector<HTMLElement>('#inbox-new button');
  if (!status || !button) {
    apply();
    return;
  }
  const text = fresh.querySelector('#inbox-new [role=status]')?.textContent || 'The list has changed.';
  if (status.textContent !== text) status.textContent = text;
  const [caption, now] = [region, fresh].map((of) => of.querySelector('caption, .empty h2'));
  if (caption && now && caption.textContent !== now.textContent) caption.textContent = now.textContent;
  for (const row of region.querySelectorAll<HTMLElement>('tbody tr[id]')) {
    const isGone = fresh.querySelector(`#${CSS.escape(row.id)}`) === null;
    showGone(row, isGone);
    if (isGone && isBusy(row)) showIsGone(row, fresh);
  }
  const { new: added = '0' } = fresh.dataset;
  button.textContent = added === '0' ? 'Show the changes' : 'Show what is new';
  button.onclick = () => {
    region.querySelector<HTMLElement>('.scroll')?.focus({ preventScroll: true });
    apply();
    // From now on, only later rows are new.
    const { live = '', now = '' } = region.dataset;
    region.dataset['live'] = `${live}&${new URLSearchParams({ seen: now })}`;
  };
  button.hidden = false;
}

/**
 * Replaces only the differences between a part of the page and its fresh version, so focus, selection, scroll position, open details,
 * checked boxes and typed text stay.
 */
function morph(old: Element, fresh: Element): void {
  void Idiomorph.morph(old, fresh, {
    callbacks: {
      beforeNodeMorphed: (element) =>
        !(element.matches?.('form[method="post"]') && isBusy(element)) && !element.matches?.('input:checked'),
      beforeAttributeUpdated: (name, { tagName }) => !(name === 'open' && tagName === 'DETAILS'),
      beforeNodeRemoved(gone) {
        if (!(gone instanceof HTMLElement) || !isBusy(gone)) return true;
        showIsGone(gone, fresh);
        return false;
      },
    },
  });
}

function isBusy(element: Element): boolean {
  if (element.contains(document.activeElement)) return true;
  return element.matches('[data-touched]') || element.querySelector('[data-touched]') !== null;
}

/** Keeps a closed requirement on the page while a person types its answer, and shows its outcome. */
function showIsGone(gone: HTMLElement, fresh: Element): void {
  const notice = gone.querySelector<HTMLElement>('[data-notice]');
  if (!notice) return;
  const answered = [...fresh.ownerDocument.querySelectorAll<HTMLElement>('[data-answered]')];
  const sentence = answered
    .find(({ dataset }) => dataset['answered'] === notice.dataset['notice'])
    ?.querySelector('[data-sentence]');
  const text = `${sentence?.textContent ?? 'This requirement is no longer open.'} What you typed is still here, but was not sent.`;
  if (notice.textContent !== text) notice.textContent = text;
  notice.classList.add('problem');
}

/** Makes a change without moving the line that a person reads or types. */
function holdingStill(change: () => void): void {
  const held = document.activeElement;
  const before =
    held instanceof HTMLElement && held !== document.body ? held.getBoundingClientRect().top : undefined;
  change();
  if (before === undefined || !held?.isConnected) return;
  const moved = held.getBoundingClientRect().top - before;
  if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
}

function showIsOld(isOld: boolean): void {
  const note = document.getElementById('old-note');
  if (note) note.hidden = !isOld;
}

function count(field: HTMLTextAreaElement): void {
  const counter = document.getElementById(`${field.id}-count`);
  if (counter) counter.textContent = `${field.value.length} of ${field.maxLength} characters`;
}

function countAll(): void {
  for (const field of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-count]')) count(field);
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  // Updates do not change a form after a person has changed it.
  const form = target.closest<HTMLElement>('form[method="post"]');
  if (form) form.dataset['touched'] = '';
  delete form?.dataset['sent'];
  if (target instanceof HTMLTextAreaElement && 'count' in target.dataset) count(target);
});

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy], [data-close]') : null;
  if (button && 'copy' in button.dataset) void copy(button);
  else button?.parentElement?.remove();
});

/** Copies an ID. If the browser forbids that, shows and selects the ID. */
async function copy(button: HTMLElement): Promise<void> {
  const id = button.dataset['copy'] ?? '';
  const note = document.createElement('span');
  note.role = 'status';
  button.after(note);
  try {
    await navigator.clipboard.writeText(id);
    note.textContent = 'Copied';
  } catch {
    note.textContent = id;
    getSelection()?.selectAllChildren(note);
  }
  setTimeout(() => note.remove(), note.textContent === id ? 30_000 : 1_500);
}

/** Applies a filter when a choice changes, and focuses that choice on the next page. Not for dates, which change while typed. */
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.form?.id !== 'filter') return;
  if (matchMedia('(min-width: 48rem)').matches) target.form.action += `#${target.id}`;
  target.form.requestSubmit();
});

/** Keyboard shortcuts, except in fields. The component `Keys` lists them. */
document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  const isTyped =
    target instanceof Element &&
    target.matches('input:not([type="checkbox"]), select, textarea, [contenteditable]');
  // Only the keys that move the focus repeat while held down.
  if (event.repeat && key !== 'j' && key !== 'k') return;
  if (isTyped || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector('dialog[open]')) return;
  const act = KEYS[key];
  if (!act) return;
  event.preventDefault();
  act();
});

const KEYS: Readonly<Record<string, () => void>> = {
  j: () => moveBy(1),
  k: () => moveBy(-1),
  c: claim,
  x: () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[type=checkbox]')?.click(),
  '/': () => document.getElementById('find-anywhere')?.focus(),
  '?': () => document.querySelector<HTMLDialogElement>('#keys')?.showModal(),
};

/** Claims the page's requirement. If there are several, does nothing: a person chooses one. */
function claim(): void {
  const [only, ...others] = document.querySelectorAll<HTMLElement>('button[name="do"][value="claim"]');
  if (others.length === 0) only?.click();
}

/** Moves the focus by this number of rows. Enter then opens the focused link. */
function moveBy(rows: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('a.task')];
  const row = document.activeElement?.closest('tr');
  const at = links.findIndex((link) => link.closest('tr') === row && row !== null);
  links[at < 0 ? 0 : Math.min(Math.max(at + rows, 0), links.length - 1)]?.focus();
}

/** Chrome on Android has the API, but pages cannot use it. */
const canNotify = 'Notification' in window && !navigator.userAgent.includes('Android');

/** Shows the inbox's button that asks for permission, unless the person has decided already. */
function offerNotifications(): void {
  if (!canNotify || Notification.permission !== 'default' || !document.querySelector('[data-new]')) return;
  const button = document.createElement('button');
  button.className = 'plain';
  button.textContent = 'Notify me of new ones';
  button.addEventListener('click', async () => {
    if ((await Notification.requestPermission()) !== 'default') button.remove();
  });
  document.querySelector('h1')?.after(button);
}

function isNotified({ dataset }: HTMLElement): boolean {
  return canNotify && Notification.permission === 'granted' && 'new' in dataset;
}

function notify(region: HTMLElement, text: string): void {
  if (!isNotified(region)) return;
  const notification = new Notification(text);
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
  });
}

/** The time for which a success message stays, in milliseconds. */
const PASSING_MS = 10_000;

/** The time after which the page says that it still waits for a response, in milliseconds. */
const SLOW_MS = 4_000;

const SLOW =
  'This takes longer than usual. It may still arrive. Wait, or reload the page to see whether it did.';

document.addEventListener('submit', ({ target: form, defaultPrevented }) => {
  if (defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return;
  // An upload shows its own progress and failure.
  if ('upload' in form.dataset) return;
  form.dataset['sent'] = '';
  const note = document.createElement('p');
  note.role = 'status';
  form.append(note);
  const timer = setTimeout(() => {
    note.textContent = SLOW;
  }, SLOW_MS);
  const forget = () => {
    clearTimeout(timer);
    note.remove();
  };
  // Remove the note, because the browser may show this page again on the way back.
  addEventListener('pagehide', forget, { once: true });
});

/** Proposes an external ID from the business's name, until a person types another one. */
function proposeId(): void {
  const target = document.querySelector<HTMLInputElement>('[data-proposed]');
  const source = target?.form?.querySelector<HTMLInputElement>(
    '[name$="dba"], [name$="doingBusinessAsName"]',
  );
  if (!target || !source) return;
  let proposal = proposedId(source.value);
  source.addEventListener('input', () => {
    const isProposed = target.value === '' || target.value === proposal;
    proposal = proposedId(source.value);
    if (isProposed) target.value = proposal;
  });
}

const { instead } = document.body.dataset;
// Going back then loads the form's page.
if (instead) history.replaceState(null, '', instead);
if (!isZoneKnown) showZone();
const isTyping = restoreDrafts();
countAll();
void followWaiting();
drawCount();
if (location.hash && !isTyping)
  document.querySelector<HTMLElement>(`#filter [id="${CSS.escape(location.hash.slice(1))}"]`)?.focus();
for (const passing of document.querySelectorAll('[data-passing]'))
  setTimeout(() => passing.remove(), PASSING_MS);
proposeId();
watchUploads();
offerNotifications();
for (const region of document.querySelectorAll<HTMLElement>('[data-live]')) void keepLive(region);
const focusMessage = () =>
  document.querySelector<HTMLElement>('[data-focus]')?.focus({ preventScroll: location.hash !== '' });
if (!isTyping) focusMessage();
// Let the browser focus the row that the address names.
if (location.hash)
  addEventListener('load', () =>
    setTimeout(() => document.activeElement?.matches('input, select, textarea') || focusMessage()),
  );

/** Marks a row of the inbox that is no longer open, so it cannot be selected or answered. */
function showGone(row: HTMLElement, isGone: boolean): void {
  row.classList.toggle('gone', isGone);
  const box = row.querySelector<HTMLInputElement>('input[form=chosen]');
  if (!box) return;
  box.disabled = isGone;
  if (isGone) box.checked = false;
}

/** If a person changes a field with a warning, the button no longer starts the onboarding despite the warnings, but checks again. */
document.addEventListener('input', ({ target }) => {
  const form = target instanceof Element ? target.closest('form') : null;
  const button = form?.querySelector<HTMLElement>('[data-changed]');
  if (button) button.textContent = button.dataset['changed'] ?? '';
});
