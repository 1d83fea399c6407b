import { expect, inject, it } from 'vitest';
import { KEY, TOKEN } from '../../../rigs/codec-server/running-codec-server.js';
import { run } from '../../../rigs/processes.js';

/** What an input holds, in the message of a failure that nobody foresaw. */
const MESSAGE = 'profile of 900123456 for ada@example.com, (518) 555-0100, Bearer 0a1b2c3d4e5f';

const SETTINGS = {
  PAYLOAD_KEYS: `k1:${KEY}`,
  CODEC_TOKENS: TOKEN,
  CODEC_ADDRESS: '127.0.0.1:0',
  RECEIVER_ADDRESS: '127.0.0.1:0',
  GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0',
  GANGWAY_LOG_LEVEL: 'debug',
  GANGWAY_TASK_QUEUE: 'nobody-works-here',
};

/** A module that makes the process fail once it runs. */
function failing(action: string): string {
  return `data:text/javascript,setTimeout(() => { ${action} }, 1000)`;
}

it.each([
  ['worker', `Promise.reject(new TypeError('${MESSAGE}', { cause: new Error('${MESSAGE}') }))`],
  ['receiver', `throw new Error('${MESSAGE}')`],
  ['codec-server', `throw '${MESSAGE}'`],
])('a %s that fails logs why without what is private: %s', async (name, action) => {
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--import', failing(action), `dist/${name}.js`],
    { ...SETTINGS, TEMPORAL_ADDRESS: inject('temporalAddress') },
  );
  expect([code, stdout]).toEqual([1, '']);
  const lines = stderr.trim().split('\n');
  // A process that fails while it starts may report that it is ready after that.
  const failures = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 60);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({
    msg: 'the process has failed',
    error: { message: 'profile of [Redacted] for [Redacted], [Redacted], [Redacted]' },
  });
  for (const value of ['900123456', 'ada@', '555-0100', '0a1b2c3d']) expect(stderr).not.toContain(value);
});
