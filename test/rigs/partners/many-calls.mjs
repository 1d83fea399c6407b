// Calls a partner 20 times, then 100 times, with the built client. Prints how many signals the process keeps after each, and how
// many listeners the signal of all calls has in the end.
import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { PartnerHttp } from '../../../dist/partners/http.js';

/** How often the event loop turns before the count. */
const TURNS = 100;

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const http = new PartnerHttp(`http://127.0.0.1:${server.address().port}`);
const { signal } = new AbortController();
const read = { method: 'GET', path: '/', headers: {}, ownConnection: false, signal };

/** @returns how many signals there are afterwards, without the garbage */
async function afterCalls(count) {
  for (let call = 0; call < count; call++) await http.send(read);
  const { chunks } = await http.download(read);
  for await (const _ of chunks);
  for (let turn = 0; turn < TURNS; turn++) await setImmediate();
  return queryObjects(AbortSignal, { format: 'count' });
}

const [before, after] = [await afterCalls(20), await afterCalls(100)];
const listeners = getEventListeners(signal, 'abort').length;
process.stdout.write(JSON.stringify({ before, after, listeners }));
await http.close();
server.close();
