import { describe, expect, it } from 'vitest';
import { detailsOf } from '../../../../src/apps/command/onboarding/lists.js';
import type { InboxItem } from '../../../../src/services/inbox/inbox.js';
import { answering, execution, grpcError, payloads } from '../../../rigs/temporal/answering-service.js';

const workflowIds = Array.from({ length: 40 }, (_, number) => `merchant-boarding-m-${number}`);
const requirement = { id: 'note-1', kind: 'underwriting-note', title: 'a note' };
const items = workflowIds.map((workflowId) => ({
  workflowId,
  taskQueue: 'gangway',
  id: 'note-1',
})) as never[];

/** The details of all items, where the first query of some workflows fails with this code. */
async function details(
  isFailing: (workflowId: string) => boolean,
  code: 'INVALID_ARGUMENT' | 'DEADLINE_EXCEEDED',
) {
  const notes: string[] = [];
  const { client, sent } = answering({
    queryWorkflow({ execution: { workflowId } }) {
      if (isFailing(workflowId)) throw grpcError(code);
      return { queryResult: { payloads: payloads({ requirements: [requirement] }) } };
    },
    describeWorkflowExecution: ({ execution: { workflowId } }) => ({
      workflowExecutionInfo: execution({ workflowId }),
    }),
    describeTaskQueue: () => ({ pollers: [] }),
  });
  const result = await detailsOf(
    { note: (text) => void notes.push(text) },
    client,
    items as readonly InboxItem[],
  );
  const read = [...result].filter(([, of]) => of !== undefined).map(([{ workflowId }]) => workflowId);
  return { read, notes, queries: sent.filter(([name]) => name === 'queryWorkflow').length };
}

describe('the details of the inbox', () => {
  it('are those of all other onboardings where one cannot be read, which is named', async () => {
    const { read, notes } = await details((id) => id === workflowIds[0], 'INVALID_ARGUMENT');
    expect(read).toEqual(workflowIds.slice(1));
    expect(notes).toEqual([expect.stringMatching(/^merchant-boarding-m-0 cannot be read: .*[^e]$/)]);
  });

  it('are asked for no longer on a task queue without a worker, which is named once', async () => {
    const { read, notes, queries } = await details(() => true, 'DEADLINE_EXCEEDED');
    expect(read).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/, nor any other there$/)]);
    // Those that were under way when the first one failed.
    expect(queries).toBe(16);
  });
});
