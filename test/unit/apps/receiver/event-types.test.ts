import { describe, expect, it } from 'vitest';
import { eventTypes, prepareAll } from '../../../../src/apps/receiver/event-routes.js';
import { NO_ACCOUNTS } from '../../../../src/messages/inputs.js';
import { answering, execution, grpcError } from '../../../rigs/temporal/answering-service.js';

const types = eventTypes(NO_ACCOUNTS);
const who = { id: 'merchant-boarding-m-1', requirementId: 'r-1', actor: 'ada', reason: 'r' };
const answer = { ...who, answer: { kind: 'retry' } };
const event = (more: object = {}) => ({
  specversion: '1.0',
  type: 'requirement.resolved.v1',
  source: '/crm',
  id: 'e-1',
  data: answer,
  ...more,
});

const withData = (more: object) => ({ data: { ...answer, ...more } });

/** The id of the update that this event becomes. */
async function updateId(of: object, identity?: string): Promise<string> {
  const { client, sent } = answering({
    describeWorkflowExecution: () => ({ workflowExecutionInfo: execution({}) }),
    pollWorkflowExecutionUpdate: () => Promise.reject(grpcError('NOT_FOUND')),
    getWorkflowExecutionHistory: () => ({ history: { events: [] } }),
    updateWorkflowExecution: () => Promise.reject(grpcError('UNAVAILABLE')),
  });
  const backend = { client, taskQueue: 'gangway', dbaForm: 'shown', fourEyes: [], accounts: [] } as const;
  const [apply] = prepareAll(types, [of as never], false, identity);
  await apply?.(backend).catch(() => undefined);
  return sent.at(-1)?.[1].request.meta.updateId;
}

describe('an answer by an event', () => {
  it('is one update for each source and id, which show nothing of them', async () => {
    const first = await updateId(event());
    expect(first).toMatch(/^event-[0-9a-f]{32}$/);
    expect(await updateId(event({ time: '2026-01-01T00:00:00Z' }))).toBe(first);
    const others = [{ source: '/erp' }, { id: 'e-2' }, { source: '/crme', id: '-1' }];
    const ids = await Promise.all(others.map((more) => updateId(event(more))));
    expect(new Set([first, ...ids]).size).toBe(4);
  });

  it('is one update for each body and id where the signature does not cover the source', async () => {
    const first = await updateId(event(), '{"a":1}');
    expect(await updateId(event({ source: '/erp' }), '{"a":1}')).toBe(first);
    const others = [
      updateId(event(), '{"a":2}'),
      updateId(event({ id: 'e-2' }), '{"a":1}'),
      updateId(event()),
    ];
    expect(new Set([first, ...(await Promise.all(others))]).size).toBe(4);
  });

  const EMPTY = { actor: ' ', answer: { kind: 'text', text: '' } };
  const documents = [{ key: 'k', path: '/etc/passwd' }];
  const INVALID = { type: 'documents.received.v1', data: { ...who, documents } };
  it.each<[string, object, string[]]>([
    ['another version', { specversion: '1.1' }, ['specversion']],
    ['an empty id', { id: '' }, ['id']],
    ['an id of 1,025 characters', { id: 'x'.repeat(1_025) }, ['id']],
    ['a time without a zone', { time: '2026-01-01T00:00:00' }, ['time']],
    ['another content type', { datacontenttype: 'application/jsonp' }, ['datacontenttype']],
    ['an unknown type', { type: 'toString' }, ['type']],
    ['no type', { type: undefined }, ['type']],
    ['no id, which its sender needs to repeat it', { id: undefined }, ['id']],
    ['no source', { source: undefined }, ['source']],
    ['an id that is no text', { id: 7 }, ['id']],
    ['a time in words', { time: 'yesterday' }, ['time']],
    ['an answer of an unknown kind', withData({ answer: { kind: 'guess' } }), ['data.answer.kind']],
    ['no actor and an empty answer', withData(EMPTY), ['data.actor', 'data.answer.text']],
    ['invalid documents', INVALID, ['fileName', 'contentType', 'path'].map((of) => `data.documents.0.${of}`)],
  ])('is rejected with %s', (_, more, fields) => {
    const rejected = (isBatch: boolean, of: object[]) => {
      try {
        return prepareAll(types, [event(), ...of] as never, isBatch);
      } catch (error) {
        return JSON.parse(JSON.stringify(error)).errors;
      }
    };
    expect(rejected(false, [event(more)])).toMatchObject(fields.map((field) => ({ field })));
    expect(rejected(true, [event(more)])).toMatchObject(fields.map((field) => ({ field: `1.${field}` })));
  });

  it.each([{ id: 'x'.repeat(1_024) }, { datacontenttype: 'Application/JSON; charset=utf-8' }])(
    'is accepted with %j',
    (more) => {
      expect(prepareAll(types, [event(more)] as never, false)).toHaveLength(1);
    },
  );
});
