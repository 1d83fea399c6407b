import type { FourEyes } from '../../../src/messages/requirements.js';
import {
  initialState,
  type MetricIncrement,
  type RequirementsState,
  type State,
  Store,
} from '../../../src/workflows/runtime/state.js';

export interface CellOptions {
  readonly dueInHours?: number;
  readonly idPrefix?: string;
  readonly fourEyes?: FourEyes;
  readonly requirements?: RequirementsState | undefined;
  readonly workflowType?: string;
}

/** A cell outside of a workflow, with what it counted and published. */
export function cellOf({
  dueInHours = 48,
  idPrefix = '',
  fourEyes = [],
  requirements,
  workflowType = '',
}: CellOptions = {}) {
  const counted: MetricIncrement[] = [];
  const published: string[] = [];
  const blank: State<undefined> = initialState(workflowType, {}, undefined);
  const state = requirements ? { ...blank, requirements } : blank;
  const store = new Store(
    state,
    { fourEyes, workflowType, idPrefix, firstRunId: 'run-1', dueInMs: dueInHours * 3_600_000 },
    {
      random: () => '',
      count: (each) => void counted.push(each),
      publish: ({ pending, ...events }) => {
        for (const { type, data } of pending)
          published.push(`${type} ${(data as { readonly requirementId?: string }).requirementId ?? ''}`);
        return { ...events, pending: [] };
      },
    },
  );
  /** The timeline, each entry as a line. */
  const said = () =>
    store.state.timeline.map(({ event, detail = '', actor, reason }) =>
      [`${event}: ${detail}`, ...(actor ? [`${actor}: ${reason}`] : [])].join(' | '),
    );
  return { store, counted, published, said };
}

export const jsonOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
