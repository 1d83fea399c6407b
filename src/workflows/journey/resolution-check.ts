import type { Answer, Requirement, Resolution } from '../../messages/requirements.js';

/** The requirements that can be answered, and the answers that can be taken back. */
export interface Answerable {
  readonly open: readonly Requirement[];
  /** Ids of requirements whose answers are not sent yet. */
  readonly unsent: readonly string[];
}

/**
 * The problem with a resolution, as field and rule, without a word of the resolution itself; undefined when it is valid. Synchronous, because it validates an update.
 *
 * @param correctable fields of the input that a correction can change
 */
export function problemWith(
  resolution: Resolution,
  { open, unsent }: Answerable,
  correctable: readonly string[],
): string | undefined {
  if (typeof resolution !== 'object' || resolution === null) return 'the resolution must be an object';
  const { requirementId, answer } = resolution;
  if (answer?.kind === 'take-back') return problemWithTakingBack(resolution, unsent);
  const requirement = open.find(({ id }) => id === requirementId);
  if (!requirement) {
    const ids = open.map(({ id }) => id).join(', ');
    return `requirementId: no requirement with this id is open; open: ${ids || 'none'}`;
  }
  if (typeof answer !== 'object' || answer === null) return 'answer: must be an object with a kind';
  if (!requirement.answers.includes(answer.kind)) {
    return `answer.kind: ${requirementId} takes ${requirement.answers.join(', ')}`;
  }
  return problemWithActor(resolution) ?? problemWithAnswer(answer, requirement, correctable);
}

function problemWithTakingBack(resolution: Resolution, unsent: readonly string[]): string | undefined {
  const { requirementId } = resolution;
  if (!unsent.includes(requirementId)) {
    const ids = unsent.join(', ') || 'none';
    return `requirementId: no requirement with this id has an unsent answer; unsent: ${ids}`;
  }
  return problemWithActor(resolution);
}

function problemWithActor({ actor, reason }: Resolution): string | undefined {
  if (!isText(actor)) return 'actor: must name who answers';
  return isText(reason) ? undefined : 'reason: must not be empty';
}

function problemWithAnswer(
  answer: Answer,
  { idFormat }: Requirement,
  correctable: readonly string[],
): string | undefined {
  switch (answer.kind) {
    case 'text':
      return isText(answer.text) ? undefined : 'answer.text: must not be empty';
    case 'documents':
      return problemWithDocuments(answer.documents);
    case 'correction':
      return problemWithPatch(answer.patch, correctable);
    case 'adopt':
      if (idFormat === 'text') return isTextId(answer.id) ? undefined : `answer.id: ${TEXT_ID}`;
      return /^[1-9]\d{0,9}$/.test(answer.id)
        ? undefined
        : 'answer.id: must be the id at the partner, in digits';
    case 'code':
      return isText(answer.code) ? undefined : 'answer.code: must not be empty';
    case 'retry':
    case 'take-back':
    case 'abandon':
      return undefined;
  }
}

function problemWithDocuments(documents: unknown): string | undefined {
  if (!Array.isArray(documents) || documents.length === 0) return 'answer.documents: must name at least one';
  const complete = documents.every(
    (document) => isText(document?.key) && isText(document.fileName) && isText(document.contentType),
  );
  return complete ? undefined : 'answer.documents: each needs key, fileName and contentType';
}

function problemWithPatch(patch: unknown, correctable: readonly string[]): string | undefined {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return 'answer.patch: must be an object';
  }
  const fields = Object.keys(patch);
  if (fields.length > 0 && fields.every((field) => correctable.includes(field))) return undefined;
  return `answer.patch: takes one or more of ${correctable.join(', ')}, and no other field`;
}

const TEXT_ID = 'must be 1 to 64 characters of ASCII without spaces';

function isTextId(value: unknown): boolean {
  return typeof value === 'string' && /^[!-~]{1,64}$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim().length > 0;
}
