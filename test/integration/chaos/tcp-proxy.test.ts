import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listening } from '../../rigs/listening.js';
import { tcpProxy } from '../../rigs/tcp-proxy.js';

/** An echo server behind a wire. */
async function wired() {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      received.push(String(data));
      socket.write(data);
    });
    socket.on('error', () => {});
  });
  const wire = await tcpProxy(await listening(server));
  onTestFinished(() => wire.close());
  return { wire, received };
}

async function open(address: string): Promise<{ socket: Socket; heard: string[] }> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  const heard: string[] = [];
  socket.on('data', (data) => heard.push(String(data)));
  return { socket, heard };
}

it('a wire forwards both ways, forwards nothing while it is cut, and then forwards what was sent meanwhile', async () => {
  const { wire, received } = await wired();
  const before = await open(wire.address);
  before.socket.write('one');
  await expect.poll(() => before.heard).toEqual(['one']);

  wire.cut();
  const during = await open(wire.address);
  before.socket.write('two');
  during.socket.write('three');
  // On one machine, sent data arrives before a later connection is open.
  await open(wire.address);
  expect(received).toEqual(['one']);

  wire.mend();
  await expect.poll(() => [...before.heard, ...during.heard]).toEqual(['one', 'two', 'three']);
});

it('a wire closes a connection when the other side has, but not while it is cut', async () => {
  const { wire } = await wired();
  const { socket } = await open(wire.address);
  const closed = once(socket, 'close');
  wire.cut();
  socket.end();
  await open(wire.address);
  expect(socket.destroyed).toBe(false);
  wire.mend();
  await closed;
});
