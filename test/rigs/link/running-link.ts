import { IncomingMessage } from 'node:http';
import type { InjectOptions } from 'fastify';
import { linkServer } from '../../../src/apps/link/server.js';
import { loadLinkSettings } from '../../../src/apps/link/settings.js';
import type { ArrivalLimits } from '../../../src/platform/http/server.js';
import { createLogger } from '../../../src/platform/process/logging.js';
import { testEnds, type Until } from '../shared.js';
import { API_TOKEN, ASKED, type Json, LINK, type StandIn, standInApi } from './stand-in-api.js';

export const SETTINGS = {
  LINK_URL: 'https://answers.example.com',
  LINK_API_TOKEN: API_TOKEN,
  LINK_COMPANY: 'Acme Payments',
};
export const HOST = 'answers.example.com';

interface Options {
  readonly link?: Json;
  readonly settings?: Readonly<Record<string, string>>;
  readonly limits?: ArrivalLimits;
  readonly api?: StandIn;
  readonly until?: Until;
}

/** The merchant's page over a stand-in of the API. `open` asks it as a browser does, without a network. */
export async function runLink({
  link = ASKED,
  settings,
  limits,
  until = testEnds,
  ...options
}: Options = {}) {
  const api = options.api ?? (await standInApi(link, until));
  const lines: string[] = [];
  const logger = createLogger('trace', { write: (line) => void lines.push(line) });
  const server = await linkServer({
    settings: loadLinkSettings({
      ...SETTINGS,
      LINK_API_URL: api.url,
      LINK_REQUESTS_PER_MINUTE: '10000',
      ...settings,
    }),
    logger,
    ...(limits && { limits }),
  });
  until(() => server.close());
  // A request without a network has arrived as a whole.
  server.addHook('onSend', async ({ raw }) => {
    if (!(raw instanceof IncomingMessage)) Object.assign(raw, { complete: true });
  });
  const open = (url: string, { headers, ...more }: InjectOptions = {}) =>
    server.inject({ url, ...more, headers: { host: HOST, ...headers } });
  const post = (
    action: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) =>
    open(`${LINK}/${action}`, {
      method: 'POST',
      payload: String(new URLSearchParams(fields)),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  return { api, server, open, post, log: () => lines.join('') };
}

/** A form with a file after its fields, as a browser sends it. */
export function upload(
  fileName: string,
  content: string | Buffer,
  fields: Readonly<Record<string, string>> = {},
): InjectOptions {
  const head = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"`;
  const texts = Object.entries(fields).map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`);
  const file = `${head('file')}; filename="${fileName}"\r\ncontent-type: image/jpeg\r\n\r\n`;
  const payload = Buffer.concat([
    Buffer.from(texts.join('') + file),
    Buffer.from(content),
    Buffer.from('\r\n--b--\r\n'),
  ]);
  return { method: 'POST', payload, headers: { 'content-type': 'multipart/form-data; boundary=b' } };
}
