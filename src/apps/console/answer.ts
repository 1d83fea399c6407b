import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { changeableInput } from '../../activities/corrections.js';
import type { Correctable } from '../../messages/activities.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import type { Answer, AnswerKind, Requirement, RequirementKind } from '../../messages/requirements.js';
import { oneTimeCode } from '../../partners/banking/rules.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { type Change, changesOf, checkCorrection, mayMoveMoney } from '../../services/forms/corrections.js';
import { needsApproval, REASON_REQUIRED, sendResolution } from '../../services/inbox/send-answer.js';
import { InvalidInput } from '../../services/texts/invalid-input.js';
import { patchIn } from './correction-fields.js';
import { onboardingView } from './onboarding-view.js';
import type { Fields } from './query.js';
import type { Role } from './route.js';

/** Turns a form into an answer: checks its fields, knows the role that each answer needs, and shows problems at their fields. */

/** The maximum length of an answer, in characters. A partner may store fewer. */
export const MOST_TEXT = 4_000;

export const MOST_REASON = 500;

/** The kinds of answers that one form can send. Documents have a separate form. */
export const FORM_KINDS = [
  'text',
  'correction',
  'confirm',
  'retry',
  'code',
  'choice',
  'take-back',
  'abandon',
] as const;

export type FormKind = (typeof FORM_KINDS)[number];

/** Problems by the name of a form's field; '' for the whole form. */
export type Problems = readonly FieldProblem[];

export interface Filled {
  readonly kind: AnswerKind;
  readonly fields: Fields;
  readonly problems: Problems;
}

export function wrongIn(own: Pick<Filled, 'problems'> | undefined, name: string): string[] {
  return (own?.problems ?? []).filter(({ field }) => field === name).map(({ message }) => message);
}

/** Returns the role that an answer needs. */
export function roleFor(requirement: { readonly kind: RequirementKind }, answer: AnswerKind): Role {
  return needsApproval(requirement, answer) ? 'approver' : 'operator';
}

export function isPreviewed({ kind }: Pick<Requirement, 'kind'>, answer: AnswerKind): boolean {
  return (
    ['correction', 'confirm', 'choice', 'abandon'].includes(answer) ||
    (kind === 'uncertain-write' && answer === 'retry')
  );
}

export interface ReadAnswer {
  readonly answer: Answer;
  readonly reason: string;
  readonly changes?: readonly Change[];
  /** For a correction: see {@link mayMoveMoney}. */
  readonly mayMoveMoney?: boolean;
}

export interface CorrectionContext {
  readonly correctable: Correctable;
  readonly accounts: KnownAccounts;
}

/**
 * Reads the answer in a form.
 *
 * @param correction is called only for a correction
 * @throws {InvalidInput} that names each wrong field
 */
export async function readAnswerForm(
  fields: Fields,
  kind: FormKind,
  requirement: Pick<Requirement, 'idFormat' | 'choices'>,
  correction: () => Promise<CorrectionContext>,
): Promise<ReadAnswer> {
  const problems: FieldProblem[] = [];
  const reason = reasonIn(fields, kind, problems);
  const answered = await contentIn(fields, kind, requirement, problems, correction);
  if (problems.length > 0 || !answered) throw new InvalidInput('The answer is incomplete.', problems);
  return { ...answered, reason };
}

/** The text that the history contains in place of a missing reason. No page shows it. */
const NO_REASON = 'no reason given';

export const givenReason = (reason: string | undefined) => (reason === NO_REASON ? undefined : reason);

/** Returns the reason in a form, or {@link NO_REASON}. */
export function reasonIn(fields: Fields, kind: AnswerKind, problems: FieldProblem[]): string {
  const reason = fields.text('reason').trim();
  if (reason === '' && REASON_REQUIRED.includes(kind))
    problems.push({ field: 'reason', message: 'is required: the timeline shows why you decided this' });
  if (reason.length > MOST_REASON)
    problems.push({ field: 'reason', message: `must be at most ${MOST_REASON} characters` });
  return reason === '' ? NO_REASON : reason;
}

async function contentIn(
  fields: Fields,
  kind: FormKind,
  { idFormat, choices = [] }: Pick<Requirement, 'idFormat' | 'choices'>,
  problems: FieldProblem[],
  correction: () => Promise<CorrectionContext>,
): Promise<Omit<ReadAnswer, 'reason'> | undefined> {
  const wrong = (field: string, message: string) => {
    problems.push({ field, message });
    return undefined;
  };
  switch (kind) {
    case 'text': {
      // Browsers send line breaks as CR LF.
      const text = fields.text('text').replace(/\r\n?/g, '\n').trim();
      if (text === '') return wrong('text', 'must not be empty');
      if (text.length > MOST_TEXT) return wrong('text', `must be at most ${MOST_TEXT} characters`);
      return { answer: { kind, text } };
    }
    case 'code': {
      const code = fields.text('code').replace(/\s+/g, '');
      const { success } = oneTimeCode.safeParse(code);
      return success ? { answer: { kind, code } } : wrong('code', 'must be 6 digits');
    }
    case 'confirm': {
      const id = fields.text('id').trim();
      const isId = idFormat === 'text' ? /^[!-~]{1,64}$/.test(id) : /^[1-9]\d{0,9}$/.test(id);
      if (isId) return { answer: { kind, id } };
      return wrong(
        'id',
        idFormat === 'text'
          ? 'must be 1 to 64 letters, digits or symbols, without spaces'
          : 'must be the ID at the partner, in digits',
      );
    }
    case 'choice': {
      const choice = fields.text('choice');
      if (choices.includes(choice)) return { answer: { kind, choice } };
      return wrong('choice', `must be one of ${choices.join(', ')}`);
    }
    case 'correction': {
      const { patch, ...read } = await readCorrection(fields, await correction());
      return { answer: { kind, patch }, ...read };
    }
    case 'retry':
    case 'take-back':
    case 'abandon':
      return { answer: { kind } };
  }
}

/** @throws {InvalidInput} that names each wrong field, as the command does */
async function readCorrection(fields: Fields, { correctable, accounts }: CorrectionContext) {
  const patch = patchIn(fields, correctable, accounts);
  checkCorrection(correctable, patch, accounts);
  const changes = changesOf(correctable, patch);
  return {
    patch,
    changes,
    mayMoveMoney: mayMoveMoney(changes, changeableInput(correctable, accounts).schema),
  };
}

interface Answered {
  readonly client: Client;
  readonly description: WorkflowExecutionDescription;
  readonly requirementId: string;
  /** The state before the answer. */
  readonly state: OnboardingState | undefined;
}

/** Returns the open requirements after an answer: those of the onboarding, or of the customer that it belongs to. */
export async function whatIsOpen(
  { client, description, requirementId, state }: Answered,
  answer: AnswerKind,
  open: number,
): Promise<string> {
  const notes = (state?.requirements ?? []).filter(({ kind }) => kind === 'underwriting-note');
  const isForNote = notes.some(({ id }) => id === requirementId) && ['text', 'documents'].includes(answer);
  if (isForNote && notes.length > 1) return 'It is sent together with the other notes, which are still open.';
  const customer = description.parentExecution?.workflowId;
  if (!customer) return open === 0 ? 'Nothing else is open.' : `${open} still open.`;
  // The answer is sent already, even if the state cannot be read.
  const view = await onboardingView(client, customer).catch(() => undefined);
  if (!view || view.obstacle) return '';
  const left = view.requirements.length;
  return left === 0 ? 'Nothing else is open for this customer.' : `${left} still open for this customer.`;
}

/** Sends an answer, and assigns the workflow's problems to the form's fields. Throws like {@link sendResolution}. */
export async function sendAnswerForm(
  client: Client,
  workflowId: string,
  resolution: Parameters<typeof sendResolution>[2],
): Promise<{ readonly open: number }> {
  return sendResolution(client, workflowId, resolution).catch((error: unknown) => {
    throw error instanceof InvalidInput ? atTheirFields(error) : error;
  });
}

/** Assigns each problem to its field: `answer.text: must not be empty` to `text`, and `answer.patch.dba` to `dba`. */
function atTheirFields({ message }: InvalidInput): InvalidInput {
  const problems = message.split('\n').map((line): FieldProblem => {
    const [, field = '', rule = line] = /^(answer[\w.]*|reason): (.*)$/.exec(line) ?? [];
    return { field: field.replace(/^answer\.?(patch\.?)?/, ''), message: rule };
  });
  return new InvalidInput('The onboarding rejected the answer.', problems);
}
