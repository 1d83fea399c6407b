import type { ComponentChildren } from 'preact';
import { feeDifferences } from '../../../activities/boarding/application.js';
import { feeAt, lineOf } from '../../../messages/fee-plans.js';
import { partsOfId } from '../../../messages/ids.js';
import { isObject, type Leaf, leavesOf } from '../../../messages/objects.js';
import { partnerFees } from '../../../services/fee-plans/fee-lines.js';
import { feeText } from '../../../services/forms/amounts.js';
import { Notes, Table } from '../../../services/reports/page.js';
import { SharedReads } from '../../../temporal/shared-reads.js';
import type { OnboardingView } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import type { RequestContext } from '../route.js';
import { lineLabel } from './parts.js';

const reads = new SharedReads<Record<string, unknown> | undefined>(5_000);

/** Returns the fees in an input, and those of the merchant at the partner if a person requested them. */
export async function feesIn(
  { client, settings, fields }: RequestContext,
  view: OnboardingView,
  input: unknown,
) {
  if (!isObject(input) || !isObject(input['fees'])) return undefined;
  const { workflowId, state: { merchantProfileId: id } = {} } = view;
  const plan = input['feePlan'];
  const own = { workflowId, fees: input['fees'], plan, planned: plannedBy(settings, plan) };
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

/** Returns the current fees of a plan; undefined if it does not exist or cannot be read. */
function plannedBy({ feePlans }: RequestContext['settings'], plan: unknown): object | undefined {
  try {
    return feePlans().find(({ name }) => name === plan)?.fees;
  } catch {
    return undefined;
  }
}

export interface FeesProps {
  readonly workflowId: string;
  readonly fees: object;
  readonly plan: unknown;
  readonly planned: object | undefined;
  /** false if nobody requested them; undefined if they cannot be read now. */
  readonly atPartner: Record<string, unknown> | undefined | false;
}

/** Shows the fees that the onboarding sets, line by line, next to the partner's current fees. */
export function Fees({ workflowId, fees, plan, planned, atPartner }: FeesProps) {
  const sent = ({ field, value }: Leaf) => {
    const usual = planned && feeAt(planned, field);
    if (!planned || usual === value) return feeText(field, value);
    return (
      <strong>
        {feeText(field, value)} (plan: {usual === undefined ? 'none' : feeText(field, usual)})
      </strong>
    );
  };
  const theirs = ({ field, value }: Leaf) => {
    const now = feeAt(atPartner || {}, field);
    const text = now === undefined ? 'nothing' : feeText(field, now);
    return feeDifferences(value, now).length > 0 ? <strong class="wrong-text">≠ {text}</strong> : text;
  };
  return (
    <details class="card" open={atPartner !== false} id="fees">
      <summary>Fees{typeof plan === 'string' && ` of plan ${plan}`}</summary>
      {atPartner === undefined && <Notes notes={['No worker read the fees at the partner in time.']} />}
      <Table
        caption={atPartner ? 'What the partner shows, next to what was sent' : 'What was sent'}
        rows={leavesOf(fees)}
        columns={[
          { title: 'Fee', cell: ({ field }) => lineLabel(field) },
          { title: 'Sent', cell: sent },
          ...(atPartner ? [{ title: 'The partner shows', cell: theirs }] : []),
        ]}
      />
      <p>
        <a href={`${pathOf(workflowId)}?fees=partner#fees`}>Read the partner’s fees now</a>
      </p>
    </details>
  );
}

interface FeeLinesProps<Leaf> {
  readonly caption: string;
  readonly leaves: readonly Leaf[];
  readonly cell: (leaf: Leaf) => ComponentChildren;
}

/** A table of fees, with a row for each line. */
export function FeeLines<Each extends Pick<Leaf, 'field'>>({ caption, leaves, cell }: FeeLinesProps<Each>) {
  const column = (title: string, wanted: string) => ({
    title,
    cell: ([line, own]: [string, Each[]]) =>
      own.filter(({ field }) => columnOf(field, line) === wanted).map(cell),
  });
  return (
    <Table
      caption={caption}
      rows={[...Map.groupBy(leaves, ({ field }) => lineOf(field))]}
      columns={[
        { title: 'Fee', cell: ([line]) => lineLabel(line) },
        column('Per item', 'perItem'),
        column('Percent', 'percent'),
        column('Other', ''),
      ]}
    />
  );
}

function columnOf(field: string, line: string): string {
  if (field === 'cashDiscountRate') return 'percent';
  return field === line ? '' : field.slice(line.length + 1);
}
