import type { TimelineEntry } from '../../messages/onboarding-state.js';
import type { Times } from './time.js';

type Timeline = readonly TimelineEntry[];

/** Returns the last answer to a requirement: the person, the time, and a summary. */
export function answeredBefore(timeline: Timeline, requirementId: string): TimelineEntry | undefined {
  return entriesAbout(timeline, 'requirement-resolved', requirementId).at(-1);
}

/** Returns why a requirement closed without an answer. */
export function closedBefore(timeline: Timeline, requirementId: string): TimelineEntry | undefined {
  return entriesAbout(timeline, 'requirement-closed', requirementId).at(-1);
}

/** Returns the entry of the second person who confirmed an answer. It is the one before the answer's own. */
export function confirmationOf(timeline: Timeline, answered: TimelineEntry): TimelineEntry | undefined {
  const before = timeline[timeline.indexOf(answered) - 1];
  return before?.event === 'answer-confirmed' ? before : undefined;
}

/** Oldest first. */
export function remarksOn(timeline: Timeline, requirementId: string): TimelineEntry[] {
  return entriesAbout(timeline, 'remark-added', requirementId);
}

function entriesAbout(timeline: Timeline, wanted: TimelineEntry['event'], requirementId: string) {
  return timeline.filter(
    ({ event, detail = '' }) => event === wanted && detail.startsWith(`${requirementId}: `),
  );
}

/** Returns an entry's text without the requirement ID: `text: One sale in ten.` from `note-1: text: One sale in ten.` */
export function saidOf({ detail = '' }: TimelineEntry): string {
  const at = detail.indexOf(': ');
  return at < 0 ? detail : detail.slice(at + 2);
}

/** Events whose detail contains the end of a claim or link. */
const WITH_ENDS: readonly string[] = [
  'requirement-claimed',
  'requirement-assigned',
  'requirement-taken-over',
  'requirement-released',
  'merchant-asked',
];

/** Converts the end of a claim or link in an entry's text to the reader's time zone. */
export function inZone(said: string, { event }: { readonly event: string }, times: Times): string {
  if (!WITH_ENDS.includes(event)) return said;
  // The question to a merchant, after the end of the link, stays unchanged.
  let left = event === 'merchant-asked' ? 1 : Number.POSITIVE_INFINITY;
  return said.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g, (time, day, minute) => {
    left -= 1;
    return left < 0 ? time : times.at(`${day}T${minute}Z`);
  });
}
