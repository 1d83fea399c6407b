import { type InterceptingCall, type Interceptor, Metadata } from '@grpc/grpc-js';
import { Connection, type ConnectionLike, type ConnectionOptions } from '@temporalio/client';

/** Connections to simulated services, by the address in `TEMPORAL_ADDRESS`. */
const connections = new Map<string, ConnectionLike>();

/** From now on, processes that connect to this address reach a simulated service. @returns what ends that */
export function connectionAt(address: string, connection: ConnectionLike): () => void {
  connections.set(address, connection);
  return () => void connections.delete(address);
}

/** Lets {@link connectionAt} decide where a command or an app connects. */
export function replaceConnections(): void {
  const { lazy } = Connection;
  Connection.lazy = (options: ConnectionOptions = {}) => {
    const connection = connections.get(options.address ?? '');
    if (!connection) return lazy.call(Connection, options);
    const ending = options.interceptors?.at(-1);
    return (ending ? intercepted(connection, ending) : connection) as Connection;
  };
}

type Call = (request: unknown) => Promise<unknown>;

/** Requests pass an interceptor, which may cancel them. */
function intercepted(connection: ConnectionLike, interceptor: Interceptor): ConnectionLike {
  const workflowService = new Proxy(connection.workflowService, {
    get: (service, name) => {
      const call = Reflect.get(service, name) as Call;
      return (request: unknown) =>
        new Promise((resolve, reject) => {
          const fails = (code: number, details: string) =>
            reject(Object.assign(new Error(details), { code, details, metadata: new Metadata() }));
          const innermost = {
            start: () => void call(request).then(resolve, reject),
            cancelWithStatus: fails,
          } as unknown as InterceptingCall;
          interceptor({ method_definition: {} as never }, () => innermost).start(new Metadata(), {
            onReceiveStatus: ({ code, details }) => fails(code, details),
          });
        });
    },
  });
  return { ...connection, workflowService };
}
