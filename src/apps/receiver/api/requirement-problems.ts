import type { z } from 'zod';
import type { OnboardingState, TimelineEntry } from '../../../messages/onboarding-state.js';
import { EndedOnboarding, KeyReused } from '../../../services/inbox/send-answer.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { queryState } from '../../../temporal/find-onboarding.js';
import { invalidRequest, Problem } from '../problems.js';
import { type Call, READ_MS } from './calls.js';
import type * as shapes from './shapes.js';

type Path = z.output<typeof shapes.requirementPath>;

/** The problems of refused actions on requirements. */

export const NOT_OPEN = 'no requirement with this ID is open';

/** Fields whose rejection means a conflict: somebody acted first, or the requirement is not open. */
const TAKEN = ['requirementId', 'proposedAt'];

/** Separates the `field: rule` parts of a rejection message. */
const NEXT_FIELD = /\n|; (?=(?:answer|actor|reason|until|text)[\w.]*: )/;

/** Turns a workflow's rejection into a problem that names the request's fields. */
export async function problemOf(call: Call<Path>, workflowId: string, error: unknown): Promise<unknown> {
  if (error instanceof KeyReused)
    return invalidRequest([{ field: 'Idempotency-Key', message: 'was used with another request' }]);
  if (error instanceof EndedOnboarding) return new Problem('not-open', 'the onboarding has ended');
  if (!(error instanceof InvalidInput)) return error;
  const errors = error.message.split(NEXT_FIELD).map((line) => {
    const [, field = '', message = line] = /^([\w.]+): (.*)$/s.exec(line) ?? [];
    return { field: field === 'actor' ? 'person' : field, message };
  });
  const taken = errors.find(({ field }) => TAKEN.includes(field));
  if (!taken) return invalidRequest(errors);
  const state = await queryState(call.backend.client, workflowId, READ_MS);
  const detail = taken.message.replace(/; (?:open|unsent): .*$/s, '');
  const isOpen = state.requirements.some(({ id }) => id === call.params.id);
  return new Problem(isOpen ? 'not-first' : 'not-open', detail, { more: firstIn(call, state) });
}

const FIRST: readonly TimelineEntry['event'][] = [
  'requirement-resolved',
  'requirement-closed',
  'requirement-claimed',
  'requirement-assigned',
  'requirement-taken-over',
  'answer-proposed',
  'proposal-withdrawn',
  'answer-taken-back',
];

/** Describes who was first: the last action on a requirement. */
export function firstIn({ params }: Call<Path>, { timeline }: OnboardingState) {
  const first = timeline.findLast(
    ({ event, detail = '' }) => FIRST.includes(event) && detail.startsWith(`${params.id}: `),
  );
  return { ...(first && { first }) };
}
