import { ApplicationFailure, CancelledFailure, NexusOperationFailure } from '@temporalio/common';
import { createNexusServiceClient } from '@temporalio/workflow';
import { HandlerError } from 'nexus-rpc';
import { gangwayService } from '../../../src/messages/nexus.js';

export * from '../../../examples/nexus-caller/workflows.js';

/** One request to Gangway. */
export interface Call {
  readonly endpoint: string;
  readonly operation: keyof typeof gangwayService.operations;
  readonly input: unknown;
}

/** What a caller's code sees of an operation. */
export type Called =
  | { readonly result: unknown }
  /** The failure and its causes, from the outside in. */
  | { readonly failures: readonly Seen[] };

export interface Seen {
  readonly class: string;
  readonly message: string;
  readonly type?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly details?: readonly unknown[] | undefined;
}

/** Calls an operation, and returns the outcome. */
export async function callGangway({ endpoint, operation, input }: Call): Promise<Called> {
  const gangway = createNexusServiceClient({ endpoint, service: gangwayService });
  try {
    // A test sends what no type allows.
    return { result: await gangway.executeOperation(operation, input as never) };
  } catch (error) {
    return { failures: seen(error) };
  }
}

function seen(error: unknown): Seen[] {
  if (!(error instanceof Error)) return [];
  const { name, message } = error;
  return [{ class: name, message, ...more(error) }, ...seen(error.cause)];
}

function more(error: Error): Partial<Seen> {
  if (error instanceof HandlerError)
    return { class: 'HandlerError', type: error.type, retryable: error.retryable };
  if (error instanceof ApplicationFailure)
    return {
      class: 'ApplicationFailure',
      type: error.type ?? undefined,
      details: error.details ?? undefined,
    };
  if (error instanceof NexusOperationFailure) return { class: 'NexusOperationFailure' };
  if (error instanceof CancelledFailure) return { class: 'CancelledFailure' };
  return {};
}
