/** The parts of oidc-provider that the rig uses. The package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    on(event: string, listener: (...details: readonly unknown[]) => void): this;
  }

  /** When a person is asked. */
  export const interactionPolicy: {
    base(): { get(prompt: string): { checks: { remove(reason: string): void } } };
  };
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  export default class MemoryAdapter {
    constructor(model: string);
  }
}
