/**
 * Makes a part of the page like a fresh one and changes only what differs: so focus, selection, scroll position, open details and
 * what somebody types stay as they are.
 */
export function morph(old: Element, fresh: Element): void {
  if (isKept(old) || old.isEqualNode(fresh)) return;
  copyAttributes(old, fresh);
  morphChildren(old, fresh);
}

/** A form that somebody types in, and what the script has put beside the server's elements. */
function isKept(element: Element): boolean {
  return element.matches('form[data-keep]') && isBusy(element);
}

/** Somebody works in it. */
function isBusy(element: Element): boolean {
  if (element.contains(document.activeElement)) return true;
  return element.matches('[data-touched]') || element.querySelector('[data-touched]') !== null;
}

function copyAttributes(old: Element, fresh: Element): void {
  const isOwn = (name: string) => name === 'open' && old.tagName === 'DETAILS';
  for (const { name, value } of [...fresh.attributes])
    if (!isOwn(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes])
    if (!isOwn(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
}

function morphChildren(old: Element, fresh: Element): void {
  let next: ChildNode | null = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const found = matching(old, next, wanted);
    if (!found) {
      old.insertBefore(wanted, next);
      continue;
    }
    if (found === next) next = next.nextSibling;
    else old.insertBefore(found, next);
    if (found instanceof Element && wanted instanceof Element) morph(found, wanted);
    else if (found.nodeValue !== wanted.nodeValue) found.nodeValue = wanted.nodeValue;
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    remove(gone, fresh);
  }
}

/** The old node for a fresh one: with the same id, or the next one of the same kind without an id. */
function matching(old: Element, next: ChildNode | null, wanted: ChildNode): ChildNode | undefined {
  if (!(wanted instanceof Element)) return next?.nodeType === wanted.nodeType ? next : undefined;
  if (wanted.id !== '') return [...old.children].find(({ id }) => id === wanted.id);
  const isSame = next instanceof Element && next.tagName === wanted.tagName && next.id === '';
  return isSame ? next : undefined;
}

/** A requirement that is no longer open stays while somebody types its answer, and shows what became of it. */
function remove(gone: ChildNode, fresh: Element): void {
  if (!(gone instanceof HTMLElement) || !isBusy(gone)) {
    gone.remove();
    return;
  }
  const id = gone.dataset['requirement'];
  const notice = gone.querySelector<HTMLElement>('[data-notice]');
  if (id === undefined || !notice) return;
  const answered = [
    ...(fresh.getRootNode() as Document | Element).querySelectorAll<HTMLElement>('[data-answered]'),
  ];
  const sentence = answered
    .find(({ dataset }) => dataset['answered'] === id)
    ?.querySelector('[data-sentence]');
  const text = `${sentence?.textContent ?? 'This requirement is no longer open.'} What you typed is still here, and is not sent.`;
  if (notice.textContent !== text) notice.textContent = text;
  notice.classList.add('problem');
}
