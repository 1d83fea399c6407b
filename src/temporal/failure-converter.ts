import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Puts messages and stack traces of failures into payloads, where the payload codec encrypts them. The SDK loads it
 * by path, in the worker's own process and in the bundle of the workflows, and imports this name.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
