import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire to a server that can be cut: meanwhile nothing arrives on either side, and no connection is refused or closed. */
export interface TcpProxy {
  /** `127.0.0.1:7233`. */
  readonly address: string;
  cut(): void;
  /** What was sent meanwhile arrives now. */
  mend(): void;
  close(): Promise<void>;
}

/** @param target `127.0.0.1:7233` */
export async function tcpProxy(target: string): Promise<TcpProxy> {
  const [host = '', port = ''] = target.split(':');
  const wires = new Set<readonly [Socket, Socket]>();
  let isCut = false;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host, port: Number(port), allowHalfOpen: true });
    const wire = [near, far] as const;
    wires.add(wire);
    for (const [one, other] of [wire, wire.toReversed() as [Socket, Socket]]) {
      one.on('error', () => {});
      one.on('close', () => {
        wires.delete(wire);
        other.destroy();
      });
    }
    if (!isCut) join(wire);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function join([near, far]: readonly [Socket, Socket]): void {
    near.pipe(far);
    far.pipe(near);
  }

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const [near, far] of wires) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    mend() {
      isCut = false;
      for (const wire of wires) join(wire);
    },
    async close() {
      for (const [near, far] of wires) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
