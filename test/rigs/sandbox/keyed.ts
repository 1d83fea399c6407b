import type { SandboxOptions } from '../../../src/sandbox/server.js';
import { testEnds, type Until } from '../shared.js';
import { type Reply, type RunningSandbox, runSandbox } from './running-sandbox.js';

type Headers = Readonly<Record<string, string>>;

export interface Keyed extends Pick<RunningSandbox, 'url' | 'control' | 'effects'> {
  /** `call('POST /plants', '{"id":1}')`. Default: the credentials of {@link runKeyed}. */
  call(line: string, body?: string, credentials?: Headers): Promise<Reply>;
}

/** A new sandbox until the running test ends, which calls it with `credentials` and plain HTTP and JSON text. */
export async function runKeyed(
  credentials: Headers,
  options: SandboxOptions = {},
  until: Until = testEnds,
): Promise<Keyed> {
  const { url, control, effects } = await runSandbox(options, until);
  async function call(line: string, body?: string, shown = credentials): Promise<Reply> {
    const [method = '', path = ''] = line.split(' ');
    const headers = { ...shown, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  }
  return { url, control, effects, call };
}
