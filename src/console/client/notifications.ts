/** Notifications about new requirements while the inbox is open. Only the browser keeps whether a person wants them. */

/** Chrome on Android has the API, but takes no notification from a page. */
const canNotify = 'Notification' in window && !navigator.userAgent.includes('Android');

/** A button of the inbox asks for permission, unless the browser knows the answer. */
export function offerNotifications(): void {
  if (!canNotify || Notification.permission !== 'default' || !document.querySelector('[data-new]')) return;
  const button = document.createElement('button');
  button.className = 'plain';
  button.textContent = 'Notify me of new ones';
  button.addEventListener('click', async () => {
    if ((await Notification.requestPermission()) !== 'default') button.remove();
  });
  document.querySelector('h1')?.after(button);
}

/** Reports whether a person wants to be notified of a part of the page. */
export function isNotified({ dataset }: HTMLElement): boolean {
  return canNotify && Notification.permission === 'granted' && 'new' in dataset;
}

export function notify(region: HTMLElement, text: string): void {
  if (!isNotified(region)) return;
  const shown = new Notification(text);
  shown.addEventListener('click', () => {
    window.focus();
    shown.close();
  });
}
