import { hash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Shown, Visit } from './route.js';

/** The time in which the same form again is a second click, in milliseconds. */
const DOUBLE_CLICK_MS = 2_000;

interface Click {
  readonly form: string;
  readonly shown: Promise<Shown>;
}

/** The last form of each session, by its token. */
const clicks = new WeakMap<Client, Map<string, Click>>();

/**
 * Takes a form once: the second click of a double click gets what the first one got. A form that was refused, or led to no other
 * page, is not kept, so that a person can try again.
 *
 * @param content what tells the form from another one to the same address. Default: its fields
 */
export async function once(
  { client, csrf, request: { url, body } }: Pick<Visit, 'client' | 'csrf' | 'request'>,
  show: () => Promise<Shown>,
  content: unknown = body,
): Promise<Shown> {
  const last = clicks.get(client) ?? new Map<string, Click>();
  clicks.set(client, last);
  const form = hash('sha256', JSON.stringify([url, content]));
  const before = last.get(csrf);
  if (before?.form === form) return before.shown;
  const click = { form, shown: show() };
  last.set(csrf, click);
  const forget = () => {
    if (last.get(csrf) === click) last.delete(csrf);
  };
  const keep = (shown: Shown) => ('to' in shown ? setTimeout(forget, DOUBLE_CLICK_MS).unref() : forget());
  click.shown.then(keep, forget);
  return click.shown;
}
