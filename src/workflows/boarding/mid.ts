import type { StatusSnapshot } from '../../messages/boarding-activities.js';
import type { Journey } from '../journey/journey.js';
import { masked } from '../journey/masked.js';

/** Asks a person about a mid of an unexpected form, once the merchant is approved. Closes what the partner no longer gives. */
export function askAboutMid(
  { desk }: Journey,
  merchantProfileId: number,
  { phase, unclearMid }: StatusSnapshot,
): void {
  const isAsked = phase === 'approved' && unclearMid !== null;
  const question = isAsked ? questionAbout(merchantProfileId, unclearMid) : undefined;
  const answered = desk.answeredOf('unclear-mid').map(({ requirement }) => requirement);
  for (const { id, detail } of [...desk.openOf('unclear-mid'), ...answered]) {
    if (detail === question?.detail) return;
    desk.withdraw(id, 'the partner gives another one');
    desk.drop(id, 'the partner gives another one');
  }
  if (question) desk.raise(question);
}

/** The mid that a person confirmed or corrected; undefined while nobody did. */
export function confirmedMid({ desk, timeline }: Journey): string | undefined {
  const [answered] = desk.answeredOf('unclear-mid');
  if (answered?.resolution.answer.kind !== 'adopt') return undefined;
  const { id: mid } = answered.resolution.answer;
  desk.take(answered.requirement.id);
  timeline.add('mid-confirmed', { detail: mid });
  return mid;
}

function questionAbout(merchantProfileId: number, given: string) {
  return {
    kind: 'unclear-mid',
    title: 'Is this its mid?',
    detail:
      `The partner approved merchant ${merchantProfileId}, and gives as its mid “${masked(given)}”, which is not 1 to 20 digits. ` +
      'Look in the partner’s portal, and adopt the mid: this one if it is right, or the right one. ' +
      'This closes by itself when the partner gives a mid of digits.',
    answers: ['adopt', 'abandon'],
    idFormat: 'text',
  } as const;
}
