/**
 * Drafts: unsent text in forms. They stay in this tab, and a form gets its draft back wherever it is shown again. A form's address
 * names its onboarding and requirement, so no other form gets the draft.
 */
import { redact } from '../../../platform/privacy/masked.js';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Draft {
  readonly person: string | undefined;
  readonly at: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly focus: string | undefined;
  /** The form was sent, and no page has shown yet whether it was accepted. */
  readonly isSent: boolean;
}

const KEY = 'gangway-drafts';
const [LIFETIME_MS, MOST_FORMS, MOST_CHARACTERS] = [3_600_000, 20, 100_000];

/** Finds the marks of a form that was not accepted: an error, a message that stays, the form again, or a preview. */
const NOT_ACCEPTED = 'main .error, .toast:not([data-passing], #old-note), main form[data-touched], .preview';

const { person } = document.body.dataset;
const restored = new WeakMap<Element, Draft['fields']>();

/** @returns whether the field that a person was typing in has the focus again */
export function restoreDrafts(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // After a reload or on the way back, the page does not show whether the form was accepted.
  const isKept = navigation?.type !== 'navigate' || document.querySelector(NOT_ACCEPTED) !== null;
  const drafts = load((draft) => draft.person === (person ?? draft.person) && (isKept || !draft.isSent));
  let focused: Control | undefined;
  for (const form of person === undefined ? [] : forms()) {
    const { fields = {}, focus } = drafts.get(keyOf(form)) ?? {};
    const controls = controlsOf(form).filter((control) => nameOf(control) in fields);
    if (controls.length === 0) continue;
    drafts.delete(keyOf(form));
    restored.set(form, fields);
    if (controls.filter((control) => fill(control, fields[nameOf(control)] ?? '')).length === 0) continue;
    focused ??= controls.find((control) => nameOf(control) === focus);
    const lost =
      form.querySelector('[data-private], [type=file]') && 'Files and private values are not kept. ';
    const note = Object.assign(document.createElement('p'), { role: 'status', className: 'advice' });
    const clear = Object.assign(document.createElement('button'), { type: 'reset', className: 'plain' });
    clear.textContent = 'Clear it';
    note.append(`What you typed before is here again. ${lost ?? ''}`, clear);
    form.prepend(note);
    form.addEventListener('reset', () => note.remove());
  }
  save([...drafts].map(([key, draft]) => [key, { ...draft, isSent: false }]));
  focused?.focus();
  return focused !== undefined;
}

/** @returns false if the page has another text, or had the same text from the start */
function fill(control: Control, text: string): boolean {
  const initial = initialOf(control);
  if (valueIn(control) === initial) write(control, text);
  // The page no longer has this choice.
  if (valueIn(control) === '' && text !== '') write(control, initial);
  if (valueIn(control) !== text || text === initial) return false;
  for (let part = control.closest('details'); part; part = part.parentElement?.closest('details') ?? null) {
    // Opening this one closes the others with its name, so do not if somebody has changed a form in an open one.
    if (!document.querySelector(`details[name="${CSS.escape(part.name)}"][open] [data-touched]`))
      part.open = true;
  }
  return control.dispatchEvent(new Event('input', { bubbles: true }));
}

addEventListener('pagehide', () => {
  const drafts = load(() => true);
  for (const form of person === undefined ? [] : forms()) {
    const [key, isSent] = [keyOf(form), 'sent' in form.dataset];
    const last = drafts.get(key);
    // A preview contains the form's fields as hidden fields, so keep the form's draft.
    if (last && isSent) drafts.set(key, { ...last, isSent });
    if (!('touched' in form.dataset)) continue;
    drafts.delete(key);
    const fields = Object.fromEntries(typedIn(form).map((control) => [nameOf(control), valueIn(control)]));
    const active = typedIn(form).find((control) => control === document.activeElement);
    const draft = { person, at: Date.now(), fields, isSent, focus: active && nameOf(active) };
    if (Object.keys(fields).length > 0) drafts.set(key, draft);
  }
  save(document.querySelector('form[action="/sign-out"][data-sent]') ? [] : [...drafts]);
});

function typedIn(form: HTMLFormElement): Control[] {
  return controlsOf(form).filter((control) => {
    const text = valueIn(control);
    // A refused form contains the typed text from the start.
    const isTyped = text !== initialOf(control) || (text && nameOf(control) in (restored.get(form) ?? {}));
    return isTyped && !control.matches('[data-private]') && redact(text, 'onboarding') === text;
  });
}

const forms = () => document.querySelectorAll<HTMLFormElement>('main form[method="post"]');
const keyOf = (form: HTMLFormElement) => `${form.getAttribute('action')} ${form.id}`;
const CONTROLS = 'input[name]:not([type=hidden], [type=file], [type=password]), select, textarea';
const controlsOf = (form: HTMLFormElement) => [...form.querySelectorAll<Control>(CONTROLS)];
const isBox = (control: Control): control is HTMLInputElement => control.matches('[type=checkbox]');
const nameOf = (control: Control) => (isBox(control) ? `${control.name}=${control.value}` : control.name);
const valueIn = (control: Control) => (isBox(control) ? String(control.checked) : control.value);

function write(control: Control, text: string): void {
  if (isBox(control)) control.checked = text === 'true';
  else control.value = text;
}

function initialOf(control: Control): string {
  if (isBox(control)) return String(control.defaultChecked);
  if (!(control instanceof HTMLSelectElement)) return control.defaultValue;
  return (control.querySelector<HTMLOptionElement>('[selected]') ?? control.options[0])?.value ?? '';
}

function load(isWanted: (draft: Draft) => boolean): Map<string, Draft> {
  const all = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, Draft][];
  return new Map(all.filter(([, draft]) => Date.now() < draft.at + LIFETIME_MS && isWanted(draft)));
}

/** Stores the latest drafts. */
function save(drafts: [string, Draft][]): void {
  let latest = drafts.slice(-MOST_FORMS);
  while (JSON.stringify(latest).length > MOST_CHARACTERS) latest = latest.slice(1);
  if (latest.length === 0) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(latest));
}
