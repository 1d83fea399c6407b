import { differences } from '../../../activities/boarding/application.js';
import { feeAt } from '../../../messages/fee-plans.js';
import { partsOfId } from '../../../messages/ids.js';
import { isObject, type Leaf, leavesOf } from '../../../messages/objects.js';
import { partnerFees } from '../../../services/fee-plans/fee-lines.js';
import { feeText } from '../../../services/forms/amounts.js';
import { Notes, Table } from '../../../services/reports/page.js';
import { SharedReads } from '../../../temporal/sharing.js';
import type { OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import type { RequestContext } from '../route.js';
import { lineLabel } from './parts.js';

const reads = new SharedReads<Record<string, unknown> | undefined>(5_000);

/** The fees of an input, and those of its merchant at the partner, if a person asked for them. */
export async function feesIn(
  { client, settings, fields }: RequestContext,
  view: OnboardingView,
  input: unknown,
) {
  if (!isObject(input) || !isObject(input['fees'])) return undefined;
  const { workflowId, state: { merchantProfileId: id } = {} } = view;
  const own = { workflowId, fees: input['fees'], plan: input['feePlan'] };
  if (fields.text('fees') !== 'partner') return { ...own, atPartner: false as const };
  const account = partsOfId(workflowId)?.account;
  const read = async () => id && partnerFees(client, settings.taskQueue, account, id);
  return {
    ...own,
    atPartner: await reads.get(
      client,
      `${settings.taskQueue} ${workflowId}`,
      async () => (await read()) || undefined,
    ),
  };
}

export interface FeesProps {
  readonly workflowId: string;
  readonly fees: object;
  readonly plan: unknown;
  /** false: nobody asked for them. Undefined: they cannot be read now. */
  readonly atPartner: Record<string, unknown> | undefined | false;
}

/** What the onboarding sets, line by line, and what the partner shows now. */
export function Fees({ workflowId, fees, plan, atPartner }: FeesProps) {
  const theirs = ({ field, value }: Leaf) => {
    if (!atPartner) return '';
    const now = feeAt(atPartner, field);
    const text = now === undefined ? 'nothing' : feeText(field, now);
    return differences(value, now).length > 0 ? <strong class="wrong-text">≠ {text}</strong> : text;
  };
  return (
    <details class="card" open={atPartner !== false} id="fees">
      <summary>Fees{typeof plan === 'string' && ` of plan ${plan}`}</summary>
      {atPartner === undefined && <Notes notes={['No worker read the fees at the partner in time.']} />}
      <Table
        caption="What the partner shows, next to what was sent"
        rows={leavesOf(fees)}
        columns={[
          { title: 'Fee', cell: ({ field }) => lineLabel(field) },
          { title: 'Sent', cell: ({ field, value }) => feeText(field, value) },
          { title: 'The partner shows', cell: theirs },
        ]}
      />
      <p>
        <a href={`${pathOf(workflowId)}?fees=partner#fees`}>Read the partner’s fees now</a>
      </p>
    </details>
  );
}
