import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';

/** gRPC calls of a connection that is to end soon and leave nothing open. */

const ENDED = { code: status.CANCELLED, details: 'the command has ended', metadata: new Metadata() };

/**
 * Cancels every attempt of every call that is under way when `signal` aborts, and begins none afterwards. (With the SDK's
 * `withAbortSignal` only the first attempt is cancelled, a call that begins later is not, and listeners pile up on the signal.)
 *
 * @param isConnecting a call that begins while this holds waits for the connection. (The SDK's own wait for it cannot be ended.)
 */
export function endingWith(signal: AbortSignal, isConnecting: () => boolean): Interceptor {
  const underWay = new Set<InterceptingCall>();
  const cancelAll = () => {
    for (const call of underWay) call.cancelWithStatus(ENDED.code, ENDED.details);
  };
  signal.addEventListener('abort', cancelAll, { once: true });
  return (options, nextCall) => {
    if (signal.aborted) return new InterceptingCall(ENDED_CALL);
    const call = new InterceptingCall(nextCall(options), {
      start(metadata, _, next) {
        underWay.add(call);
        if (isConnecting()) metadata.setOptions({ waitForReady: true });
        next(metadata, {
          onReceiveMetadata: (received, pass) => pass(received),
          onReceiveMessage: (message, pass) => pass(message),
          onReceiveStatus(end, pass) {
            underWay.delete(call);
            pass(end);
          },
        });
      },
    });
    return call;
  };
}

/** A call on a closed connection would throw where nobody catches: in the timer of a retry. */
const ENDED_CALL: ConstructorParameters<typeof InterceptingCall>[0] = {
  start: (_, listener) =>
    queueMicrotask(() => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.(ENDED);
    }),
  sendMessage() {},
  sendMessageWithContext() {},
  startRead() {},
  halfClose() {},
  cancelWithStatus() {},
  getPeer: () => '',
  getAuthContext: () => null,
};
