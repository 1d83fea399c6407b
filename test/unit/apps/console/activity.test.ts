import { expect, it, vi } from 'vitest';
import type { TimelineEntry } from '../../../../src/messages/onboarding-state.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls, type GivenWorkflow, noted, OLGA } from '../../../rigs/console/console-of-calls.js';

const NOON = '2026-01-31T12:00:00.000Z';
const REMARK: TimelineEntry = {
  at: NOON,
  event: 'remark-added',
  detail: 'note-1: Called them.',
  actor: 'pete',
};
const idOf = (number: number) => `merchant-boarding-m-${number}@south`;

it('the activity names the onboarding that Temporal has deleted since it was listed, and shows the others', async () => {
  stoppedAt(NOON);
  const workflows = { [idOf(0)]: { state: { timeline: [REMARK] } } };
  const { open } = await consoleOfCalls({ workflows, ofSouth: 2 });
  const { status, text } = await open(OLGA, '/activity');
  expect(status).toBe(200);
  expect(text).toContain('Called them.');
  expect(text).toContain('1 of them cannot be read now.');
  const csv = (await open(OLGA, '/activity.csv')).text;
  expect(csv.split('\r\n').slice(1)).toEqual([
    `${NOON},${idOf(0)},,remark-added,pete,note-1: Called them.,,,,`,
    `,${idOf(1)},,,,cannot be read now,,,,`,
    '',
  ]);
});

it('the activity reads no more onboardings once workers were silent for 10 s', async () => {
  stoppedAt(NOON);
  const slow: GivenWorkflow = {
    get state() {
      vi.setSystemTime(Date.now() + 5_000);
      return { timeline: [REMARK] };
    },
  };
  const workflows = Object.fromEntries(Array.from({ length: 100 }, (_, number) => [idOf(number), slow]));
  const { open, asked: calls } = await consoleOfCalls({ workflows, ofSouth: 100 });
  const { text } = await open(OLGA, '/activity');
  expect(calls.filter(([what]) => what === 'query').length).toBeLessThan(20);
  expect(text).toContain('92 of them cannot be read now.');
});

// Alone catches a page of Temporal's with another place in it, which Temporal takes for a failure of its own.
it.each(['x', 'eyJwIjoxfQ', 'Ing.12345678', `${'a'.repeat(4_000)}.`])(
  'the activity has no page %s, and asks Temporal nothing',
  async (from) => {
    const { open, asked: calls } = await consoleOfCalls({ workflows: {}, ofSouth: 0 });
    for (const page of ['/activity', '/activity.csv']) {
      const { status, text } = await open(OLGA, `${page}?from=${from}`);
      expect([status, text]).toEqual([400, expect.stringContaining('it leads to no page of the activity')]);
    }
    // The navigation counts open requirements, and reads no timeline.
    expect(calls.filter(([, query]) => String(query).includes('CloseTime'))).toEqual([]);
  },
);

// Alone catches a person who decides about an answer and is named only in the reason of somebody else.
it('the activity names the person who confirmed an answer, and so does the answer', async () => {
  stoppedAt(NOON);
  const merchant = 'the merchant (L-0123456789abcdef)';
  const timeline: TimelineEntry[] = [
    { at: NOON, event: 'requirement-raised', detail: 'note-1: Send a voided check.' },
    { at: NOON, event: 'answer-confirmed', detail: 'note-1: documents: check.pdf', actor: 'pete' },
    { at: NOON, event: 'requirement-resolved', detail: 'note-1: documents: check.pdf', actor: merchant },
  ];
  const workflows = { [idOf(0)]: { ...noted(NOON, []), state: { timeline } } };
  const { open } = await consoleOfCalls({ workflows, ofSouth: 1 });
  const csv = (await open(OLGA, '/activity.csv?person=pete')).text;
  expect(csv.split('\r\n').slice(1)).toEqual([
    `${NOON},${idOf(0)},,answer-confirmed,pete,note-1: documents: check.pdf,,,,`,
    '',
  ]);
  const plain = (html: string) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');
  const { text } = await open(OLGA, `/onboardings/${idOf(0)}`);
  expect(plain(text)).toContain('the merchant answered and pete confirmed it');
  expect(plain(text)).toContain('pete confirmed a proposed answer');
});

// Alone catches a list of twelve weeks that silently has only what Temporal keeps.
it.each([
  ['84d', true],
  ['1h', false],
])('the activity since %s says that Temporal has deleted what ended before: %s', async (since, isShort) => {
  stoppedAt(NOON);
  const { open, client } = await consoleOfCalls({ workflows: {}, ofSouth: 0 });
  const config = { workflowExecutionRetentionTtl: { seconds: 86_400 } };
  Object.assign(client.workflowService, { describeNamespace: async () => ({ config }) });
  const { text } = await open(OLGA, `/activity?since=${since}`);
  expect(text.includes('Temporal keeps ended onboardings for 24 h')).toBe(isShort);
});
