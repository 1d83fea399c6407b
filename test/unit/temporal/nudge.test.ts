import { describe, expect, it } from 'vitest';
import { isStepAt, type Pending } from '../../../src/temporal/nudge.js';

const queue = 'gangway-boarding';

function pending(name: string, heartbeatTimeout: { seconds: number } | undefined, details?: object): Pending {
  return {
    activityOptions: { taskQueue: { name }, ...(heartbeatTimeout && { heartbeatTimeout }) },
    ...(details && { heartbeatDetails: { payloads: [details] } }),
  } as unknown as Pending;
}

describe('what a nudge of a partner task queue retries', () => {
  it.each([
    ['a read', pending(queue, { seconds: 10 }), true],
    ['a write with a mark', pending(queue, { seconds: 0 }, { data: new Uint8Array() }), true],
    ['a write without a mark, which a reset would put in doubt', pending(queue, { seconds: 0 }), false],
    ['a write without a mark, whose time-out is left out', pending(queue, undefined), false],
    ['a read at another partner', pending('gangway-banking', { seconds: 10 }), false],
    ['a read in another account', pending(`${queue}-acme`, { seconds: 10 }), false],
  ])('%s: %s', (_, activity, isWoken) => {
    expect(isStepAt(queue)(activity)).toBe(isWoken);
  });
});
