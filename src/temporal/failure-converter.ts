import { DefaultFailureConverter, type ProtoFailure } from '@temporalio/common';
import { isRejection, publicMessageOf } from '../messages/rejections.js';

/**
 * Puts messages and stack traces of failures into payloads, where the payload codec encrypts them. The message of a rejected
 * answer stays readable as well, because the Web UI decrypts no failure of an update.
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

/** The SDK loads it by path, in the worker's own process and in the bundle of the workflows, and imports this name. */
export const failureConverter = new PrivateFailures();
