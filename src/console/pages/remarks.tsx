import { sendRemark } from '../../inbox/answering.js';
import { LONGEST_REMARK } from '../../messages/claims.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import { shortened } from '../../partners/bounds.js';
import { InvalidInput } from '../../texts/invalid-input.js';
import { remarksOn, saidOf } from '../../texts/timeline-entries.js';
import { openOnboarding } from '../onboarding-view.js';
import { Fields, LIST, pathOf, withList } from '../query.js';
import type { Route, Shown, Visit } from '../route.js';
import { hasRole } from '../visitor.js';
import { Field } from './field.js';
import { listIn, REQUIREMENT_PATH, refresh, requirementIdIn } from './handling.js';
import { Form, When } from './parts.js';

/** What colleagues tell each other about a requirement. No partner gets it. */

interface RemarksProps {
  readonly state: Pick<OnboardingState, 'timeline'>;
  readonly requirementId: string;
  readonly visit: Pick<Visit, 'times'>;
}

export function Remarks({ state, requirementId, visit: { times } }: RemarksProps) {
  const remarks = remarksOn(state.timeline, requirementId);
  if (remarks.length === 0) return null;
  return (
    <section aria-label="Remarks">
      {remarks.map((entry) => (
        <p class="notes">
          <strong>{entry.actor}</strong>, <When time={entry.at} times={times} />: {saidOf(entry)}
        </p>
      ))}
    </section>
  );
}

interface RemarkFormProps {
  readonly visit: Visit;
  readonly workflowId: string;
  readonly requirementId: string;
}

export function RemarkForm({ visit, workflowId, requirementId }: RemarkFormProps) {
  if (!hasRole(visit.visitor, 'operator')) return null;
  return (
    <details>
      <summary>Remark for colleagues</summary>
      <Form
        action={pathOf(workflowId, 'requirements', requirementId, 'remarks')}
        id={`form-${requirementId}-remark`}
        csrf={visit.csrf}
        hidden={listIn(visit)}
      >
        <Field
          {...{ id: `${requirementId}-remark`, name: 'remark', label: 'Remark', required: true, rows: 2 }}
          maxLength={LONGEST_REMARK}
          advice="The partner does not get it. It stays in the timeline."
        />
        <button type="submit" class="secondary">
          Add the remark
        </button>
      </Form>
    </details>
  );
}

async function remark(visit: Visit): Promise<Shown> {
  const { client, visitor, request, audit } = visit;
  const requirementId = requirementIdIn(request);
  const { workflowId } = await openOnboarding(visit);
  const fields = Fields.ofBody(request);
  const text = fields.text('remark');
  const list = fields.names.includes(LIST) ? fields.text(LIST) : undefined;
  const to = withList(pathOf(workflowId, 'requirements', requirementId), list);
  try {
    await sendRemark(client, workflowId, { requirementId, actor: visitor.actor, text });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { to, message: `${error.message}. You wrote: ${shortened(text, LONGEST_REMARK)}` };
  }
  audit(visitor, { what: 'remark', workflowId, requirementId });
  refresh(client, workflowId);
  return { to, message: 'Your colleagues see the remark.' };
}

export const REMARK_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${REQUIREMENT_PATH}/remarks`, role: 'operator', show: remark },
];
