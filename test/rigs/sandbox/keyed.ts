import type { SandboxOptions } from '../../../src/apps/sandbox/server.js';
import { type HeaderLines, type Reply, sendJson } from '../send.js';
import { testEnds, type Until } from '../shared.js';
import { type RunningSandbox, runSandbox } from './running-sandbox.js';

export interface Keyed extends Pick<RunningSandbox, 'url' | 'control' | 'effects'> {
  /** `call('POST /plants', '{"id":1}')`. Default: the credentials of {@link runKeyed}. */
  call(line: string, body?: string, credentials?: HeaderLines): Promise<Reply>;
}

/** A new sandbox until the running test ends, which calls it with `credentials` and plain HTTP and JSON text. */
export async function runKeyed(
  credentials: HeaderLines,
  options: SandboxOptions = {},
  until: Until = testEnds,
): Promise<Keyed> {
  const { url, control, effects } = await runSandbox(options, until);
  return {
    url,
    control,
    effects,
    call: (line, body, output = credentials) => sendJson(url, line, body, output),
  };
}
