import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';

const ENDED = { code: status.CANCELLED, details: 'the command has ended', metadata: new Metadata() };

/** Longer than any call takes that the server responds to, in milliseconds: it lets a long poll wait for 20 s. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Gives every attempt of every call a deadline, so that a command never waits for a server that says nothing. Cancels every attempt of every call that is under way when `signal` aborts, and begins none afterwards. The SDK's
 * `withAbortSignal` cancels only the first attempt, ignores calls that begin later, and leaves listeners on the signal.
 *
 * @param isConnecting while it returns true, calls wait for the connection. The SDK's own wait for it cannot be cancelled.
 */
export function endingWith(signal: AbortSignal, isConnecting: () => boolean): Interceptor {
  const underWay = new Set<InterceptingCall>();
  const cancelAll = () => {
    for (const call of underWay) call.cancelWithStatus(ENDED.code, ENDED.details);
  };
  signal.addEventListener('abort', cancelAll, { once: true });
  return (options, nextCall) => {
    if (signal.aborted) return new InterceptingCall(ENDED_CALL);
    const call = new InterceptingCall(
      nextCall({ ...options, deadline: options.deadline ?? Date.now() + CALL_TIMEOUT_MS }),
      {
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
      },
    );
    return call;
  };
}

/** A retry on a closed connection would throw in its timer, where nobody catches. */
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
