import type { Client } from '@temporalio/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { withQuestions } from '../../../../src/apps/console/questions.js';
import type { InboxItem } from '../../../../src/services/inbox/inbox.js';

/** A client at whose workflows a worker answers: at once, or when it is told to. */
function clientOf(answers: Readonly<Record<string, Promise<void>>>) {
  let question = 0;
  const getHandle = (workflowId: string) => ({
    query: async () => {
      question += 1;
      await answers[workflowId];
      const timeline =
        question > 1
          ? [{ event: 'remark-added', detail: 'note-1: Ask Rosa.', at: '2026-01-01T00:00:00Z' }]
          : [];
      return { requirements: [{ id: 'note-1', title: `Note of ${workflowId}`, detail: '' }], timeline };
    },
  });
  const withDeadline = (_: number, call: () => Promise<unknown>) => call();
  return { client: { workflow: { getHandle }, withDeadline } as unknown as Client, ask: () => question };
}

it('a page has the questions that workers tell within a second; the next one has the others, and asks nothing twice', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true });
  onTestFinished(() => void vi.useRealTimers());
  let release = () => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { client, ask } = clientOf({ late });
  const rows = ['soon', 'late'].map((workflowId) => ({ workflowId, id: 'note-1' }) as InboxItem);
  const titles = async () => (await withQuestions(client, rows)).map(({ title }) => title);
  const first = titles();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await first).toEqual(['Note of soon', undefined]);
  release();
  expect(await titles()).toEqual(['Note of soon', 'Note of late']);
  expect(ask()).toBe(2);
});

// Alone catches a row without a sign of the remark of its hand-over, and a workflow that each view asks again.
it('an assignment asks once more, and has its remark', async () => {
  const { client, ask } = clientOf({});
  const row = { workflowId: 'a', id: 'note-1' } as InboxItem;
  const remarks = async (item: InboxItem) => (await withQuestions(client, [item]))[0]?.hasRemark;
  expect([await remarks(row), await remarks(row), ask()]).toEqual([false, false, 1]);
  const assigned = { ...row, assignedBy: 'olga', claimedBy: 'ada', claimedUntil: '2026-01-04T00:00:00Z' };
  expect([await remarks(assigned), await remarks(assigned), ask()]).toEqual([true, true, 2]);
});
