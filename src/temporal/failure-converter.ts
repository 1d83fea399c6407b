import { DefaultFailureConverter, type ProtoFailure } from '@temporalio/common';
import { isRejection, publicMessageOf } from '../messages/rejections.js';

/**
 * Moves messages and stack traces of failures into payloads, where the payload codec encrypts them. Leaves the message of a
 * rejected answer readable, because the Web UI does not decrypt failures of updates.
 */
class PrivateFailures extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  override errorToFailure(...[error, ...how]: Parameters<DefaultFailureConverter['errorToFailure']>) {
    const failure: ProtoFailure = super.errorToFailure(error, ...how);
    return isRejection(error) ? { ...failure, message: publicMessageOf(error) } : failure;
  }
}

/** The SDK loads this file by path and imports this name, in the worker's process and in the workflow bundle. */
export const failureConverter = new PrivateFailures();
