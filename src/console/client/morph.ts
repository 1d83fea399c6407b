import { Idiomorph } from 'idiomorph';

/**
 * Makes a part of the page like a fresh one and changes only what differs, so focus, selection, scroll position, open details, checked
 * boxes and typed text stay.
 */
export function morph(old: Element, fresh: Element): void {
  void Idiomorph.morph(old, fresh, {
    callbacks: {
      beforeNodeMorphed: (element) =>
        !(element.matches?.('form[data-keep]') && isBusy(element)) && !element.matches?.('input:checked'),
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

/** Keeps a requirement that is no longer open while a person types its answer, and shows its outcome. */
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
