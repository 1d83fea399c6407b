import type { Answer, Requirement, Resolution } from '../../messages/requirements.js';

/**
 * What is wrong with a resolution, member and rule; undefined when it fits. Synchronous, for it is an update's validator.
 *
 * @param correctable which members of the input a correction may change
 */
export function problemWith(
  resolution: Resolution,
  open: readonly Requirement[],
  correctable: readonly string[],
): string | undefined {
  if (typeof resolution !== 'object' || resolution === null) return 'the resolution must be an object';
  const { requirementId, answer, actor, reason } = resolution;
  const requirement = open.find(({ id }) => id === requirementId);
  if (!requirement) {
    const ids = open.map(({ id }) => id).join(', ');
    return `requirementId: no requirement ${JSON.stringify(requirementId)} is open; open: ${ids || 'none'}`;
  }
  if (typeof answer !== 'object' || answer === null) return 'answer: must be an object with a kind';
  if (!requirement.answers.includes(answer.kind)) {
    return `answer.kind: ${requirementId} takes ${requirement.answers.join(', ')}`;
  }
  if (!isText(actor)) return 'actor: must say who answers';
  if (!isText(reason)) return 'reason: must say why';
  return problemWithAnswer(answer, requirement, correctable);
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
      if (idFormat === 'text') return isText(answer.id) ? undefined : 'answer.id: must not be empty';
      return /^\d{1,10}$/.test(answer.id) ? undefined : 'answer.id: must be the id at the partner, in digits';
    case 'code':
      return isText(answer.code) ? undefined : 'answer.code: must not be empty';
    case 'retry':
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
  const unknown = Object.keys(patch).filter((member) => !correctable.includes(member));
  const known = correctable.join(', ');
  if (unknown.length > 0) return `answer.patch.${unknown[0]}: cannot be corrected; known: ${known}`;
  return Object.keys(patch).length > 0 ? undefined : `answer.patch: must change one of ${known}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim().length > 0;
}
