import { beforeAll, describe, expect, it } from 'vitest';
import { WORKFLOW_ID_PREFIXES } from '../../../src/messages/ids.js';
import { WORKFLOW_BUNDLES } from '../../../src/worker/bundles.js';
import { HISTORIES, recorded, replayAll } from '../../rigs/workflows/recorded-histories.js';
import { PATHS } from '../../rigs/workflows/recorded-paths.js';

/** The release whose histories have each path that there is now; those before have what there was then. */
const LATEST = HISTORIES.map((file) => file.split('/')[0] ?? '')
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .at(-1);

// Proves F1.
it('has a recorded history of each path', () => {
  const names = Object.entries(PATHS).flatMap(([name, { continues }]) =>
    continues ? [name, `${name}-next`] : [name],
  );
  expect(HISTORIES).toEqual(expect.arrayContaining(names.map((name) => `${LATEST}/${name}.json`)));
});

it('has one of each workflow type', async () => {
  const histories = await Promise.all(HISTORIES.map(recorded));
  const types = histories.map(
    ({ events: [started] }) => started.workflowExecutionStartedEventAttributes.workflowType.name,
  );
  expect([...new Set(types)].sort()).toEqual(Object.keys(WORKFLOW_ID_PREFIXES).sort());
});

// A boarding lives for weeks: today's code must be able to go on with what an earlier release has begun.
describe('on the current workflow code', () => {
  let problems: Awaited<ReturnType<typeof replayAll>>;
  beforeAll(async () => {
    problems = await replayAll(WORKFLOW_BUNDLES.plain);
  });

  it('every recorded history was tried', () => {
    expect([...problems.keys()].sort()).toEqual(HISTORIES);
  });

  it.each(HISTORIES)('%s replays', (file) => {
    expect(problems.get(file)).toBeUndefined();
  });
});
