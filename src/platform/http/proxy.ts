import type { Socket } from 'node:net';
import { unescape as decoded } from 'node:querystring';
import { Agent, buildConnector, Client, fetch as fetchBy } from 'undici';
import { isLoopbackHost } from '../settings/settings.js';

/**
 * Connects through a company's proxy. As in curl, `HTTPS_PROXY` names the proxy, and `NO_PROXY` the hosts that are reached
 * directly. Only https goes through it, as a tunnel, so the proxy reads nothing.
 */

/** Returns the proxy for a host; undefined for this machine, and for a host that is reached directly. */
export function proxyFor(host: string, port: string | number = 443, env = process.env): URL | undefined {
  const proxy = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!proxy || isLoopbackHost(host)) return undefined;
  const direct = (env['no_proxy'] || env['NO_PROXY'] || '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const names = [`.${host}`, `.${host}:${port}`];
  const isDirect = direct.some(
    (each) => each === '*' || names.some((name) => name.endsWith(`.${each.replace(/^\*?\./, '')}`)),
  );
  return isDirect ? undefined : new URL(proxy.includes('://') ? proxy : `http://${proxy}`);
}

/** Like undici's `buildConnector`, but through the proxy, if there is one for the host. */
export function connectorFor(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  const tunnel = async ({
    hostname,
    port,
    protocol,
  }: buildConnector.Options): Promise<Socket | undefined> => {
    const host = `${hostname}:${port || 443}`;
    const proxy = protocol === 'https:' ? proxyFor(hostname, port || 443) : undefined;
    if (!proxy) return undefined;
    const user = decoded(`${proxy.username}:${proxy.password}`);
    const authorization = { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
    const timeout = options.timeout ?? 10_000;
    const client = new Client(proxy.origin, { connect: { timeout }, headersTimeout: timeout });
    const headers = { host, ...(proxy.username && authorization) };
    const { statusCode, socket } = await client.connect({ path: host, headers });
    if (statusCode === 200) return socket as Socket;
    socket.destroy();
    throw Object.assign(new Error(`the proxy responded ${statusCode}`), {
      code: `HTTPS_PROXY_${statusCode}`,
    });
  };
  return (target, callback) => {
    tunnel(target)
      .then((httpSocket) => connect({ ...target, ...(httpSocket && { httpSocket }) }, callback))
      .catch((error: Error) => callback(error, null));
  };
}

/** Key sets and user descriptions have some kilobytes. */
const agent = new Agent({ connect: connectorFor({}), maxResponseSize: 256 * 1024 });

/** `fetch` for a response of at most 256 KiB, through the proxy, if there is one for the host. */
export async function fetchThroughProxy(url: string, request: object): Promise<Response> {
  return (await fetchBy(url, { ...request, dispatcher: agent })) as unknown as Response;
}
