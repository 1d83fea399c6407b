import { Script } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import type * as messages from '../../../src/messages/index.js';
import { merchant } from '../../rigs/inputs.js';

/** The globals of browsers, besides those of the language. */
const BROWSER = {
  TextEncoder,
  TextDecoder,
  URL,
  URLSearchParams,
  AbortController,
  crypto,
  setTimeout,
  clearTimeout,
};

it('gangway/messages in a browser is loaded without modules and globals of Node, and checks an input', async () => {
  // For the platform "browser", esbuild rejects every module of Node.
  const { outputFiles } = await build({
    entryPoints: ['src/messages/index.ts'],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'messages',
    write: false,
    logLevel: 'silent',
  });
  const script = new Script(`${outputFiles[0]?.text}; messages`);
  const loaded = script.runInNewContext({ ...BROWSER }) as typeof messages;
  expect(loaded.workflowId('merchantBoarding', 'm-1001', 'acme')).toBe('merchant-boarding-m-1001@acme');
  expect(loaded.SEARCH_ATTRIBUTES.mid.name).toBe('Mid');
  expect(loaded.resolveRequirement.name).toBe('resolveRequirement');
  const check = (more: object) => loaded.merchantBoardingInput().safeParse({ ...merchant(), ...more });
  expect(check({ dueInHours: undefined })).toMatchObject({ success: true, data: { dueInHours: 48 } });
  const { error } = check({ externalId: '123-45-6789' });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['externalId']);
});
