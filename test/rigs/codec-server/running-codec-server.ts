import { type CodecServerOptions, startCodecServer } from '../../../src/apps/codec-server/server.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import { parsePayloadKeys } from '../../../src/temporal/payload-codec.js';
import { type Body, type HeaderLines, type Reply, sendJson } from '../send.js';
import { testEnds } from '../shared.js';

/** The bytes 0 to 31 in base64. */
export const KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const TOKEN = '6f1d0c5e8b7a4932a1b0c9d8e7f60512';

export const UI = 'https://temporal.example.com';

/** `"Ada"` as a payload, and the same encrypted with {@link KEY}, in proto3 JSON. */
export const CLEAR = '{"metadata":{"encoding":"anNvbi9wbGFpbg=="},"data":"IkFkYSI="}';
export const ENCRYPTED =
  '{"metadata":{"encoding":"YmluYXJ5L2VuY3J5cHRlZA==","encryption-key-id":"azE=","place":"WyIiLCIiLCIiXQ=="},"data":"AAECAwQFBgcICQoLRwjAEc2ArHjiJf7l1vtyB/C56RuAFz4VVnXgp1wNYZCpj/8nDi70X48U7G5XgKPl"}';

/** Limits that no test reaches, so that a busy machine may take its time. */
export const LONG_LIMITS = { headersMs: 120_000, requestMs: 600_000, idleMs: 600_000 };

interface RunningCodecServer {
  readonly url: string;
  /** `call('POST /decode', '{"payloads":[...]}')`, of namespace `default` and with the token by default. */
  call(line: string, body?: Body, headers?: HeaderLines): Promise<Reply>;
  /** Its log so far. */
  log(): string;
}

/** A codec server of its own for the running test, which the test calls by HTTP and JSON text only. */
export async function runCodecServer(options: Partial<CodecServerOptions> = {}): Promise<RunningCodecServer> {
  const lines: string[] = [];
  const server = await startCodecServer({
    host: '127.0.0.1',
    port: 0,
    keys: parsePayloadKeys(`k1:${KEY}`),
    bearer: { tokens: [TOKEN], jwt: undefined },
    uiOrigin: UI,
    tokenInPath: false,
    namespaces: ['default'],
    requestsPerMinute: 1_000,
    limits: LONG_LIMITS,
    logger: createLogger('trace', { write: (line) => void lines.push(line) }),
    ...options,
  });
  testEnds(() => server.close());
  return {
    url: server.url,
    call: (line, body, headers = { authorization: `Bearer ${TOKEN}` }) =>
      sendJson(server.url, line, body, { 'x-namespace': 'default', ...headers }),
    log: () => lines.join(''),
  };
}
