/** Shows the number of onboardings that wait for a person, in the navigation and on the tab's icon. */

/** The interval between reads of the number on pages other than the inbox, in seconds. */
const WAITING_SECONDS = 30;

/** Updates the number in the navigation while the page is visible, except in the inbox, which updates it itself. */
export async function followWaiting(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, WAITING_SECONDS * 1_000));
    if (document.hidden) await nextEvent('visibilitychange');
    if (!document.getElementById('waiting') || document.querySelector('[data-waiting]')) continue;
    try {
      const response = await fetch('/inbox/waiting', { headers: { accept: 'text/html' }, redirect: 'error' });
      // The response is empty if the number is unknown.
      const [number] = response.ok ? (/^\d+$/.exec(await response.text()) ?? []) : [];
      showNumber(number);
    } catch {
      // The next read may succeed. Other parts of the page say that the console does not respond.
    }
  }
}

export function nextEvent(event: string): Promise<unknown> {
  return new Promise((resolve) => document.addEventListener(event, resolve, { once: true }));
}

/** Shows the number in the tab and the navigation. Keeps the last number if it is unknown. */
export function showWaitingCount(waiting: string | undefined): void {
  if (!showNumber(waiting)) return;
  document.title = (waiting === '0' ? '' : `(${waiting}) `) + document.title.replace(/^\(\d+\) /, '');
}

function showNumber(waiting: string | undefined): boolean {
  const name = document.getElementById('waiting');
  if (!name || waiting === undefined) return false;
  name.textContent = waiting === '0' ? '' : waiting;
  drawCount();
  return true;
}

const tabIcon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
const plainIcon = tabIcon?.href ?? '';

/** Draws the number on the tab's icon. */
export function drawCount(): void {
  const count = Number(document.getElementById('waiting')?.textContent);
  const mark = document.querySelector('.brand svg')?.cloneNode(true);
  if (!tabIcon || !(mark instanceof Element)) return;
  const text = `font-family="sans-serif" font-size="15" font-weight="bold" text-anchor="middle" fill="#fff"`;
  mark.insertAdjacentHTML(
    'beforeend',
    `<rect x="6" y="14" width="26" height="18" rx="6" fill="#a4221d"/><text x="19" y="28.5" ${text}>${count > 99 ? '99+' : count}</text>`,
  );
  tabIcon.href = count > 0 ? `data:image/svg+xml,${encodeURIComponent(mark.outerHTML)}` : plainIcon;
}
