import type { FastifyInstance } from 'fastify';
import { boardingOperations, FEES_PATH } from '../../partners/boarding/operations.js';
import type { Answer } from '../fault-injection.js';
import type { Faults } from '../faults.js';
import { type Content, partnerRoutes, STATUS_LABELS } from '../routes.js';
import type { BoardingService } from './service.js';
import { authenticate } from './users.js';

/** Serves every boarding operation of the catalogue, with the documented answers (apis/2). */
export function boardingRoutes(
  server: FastifyInstance,
  service: BoardingService,
  faults: Faults,
  posNames: readonly string[],
  password?: string,
): void {
  let requests = 0;
  partnerRoutes(server, faults, {
    name: 'boarding',
    operations: boardingOperations(posNames),
    handlers: service.handlers,
    admit: ({ headers }, { method }) => {
      const caller = authenticate(headers.authorization, password);
      if (!caller) return outsideEnvelope(401, 'Unauthorized', 'Invalid credentials');
      if (method !== 'GET' && !caller.mayWrite) {
        return outsideEnvelope(403, 'Forbidden', 'No permission for this operation');
      }
      return { caller };
    },
    move: ({ id, merchantProfileId }, meanwhile) =>
      service.find(Number(merchantProfileId ?? id))?.meanwhile(meanwhile),
    envelope: ({ path }, content) => {
      const envelope = path === FEES_PATH ? feesEnvelope : commonEnvelope;
      return envelope({ ...content, requestId: 70_000 + ++requests });
    },
  });
}

interface NumberedContent extends Content {
  readonly requestId: number;
}

/** The form that refusals of a caller have (apis/4). */
function outsideEnvelope(status: number, error: string, message: string): { refused: Answer } {
  return { refused: { status, body: { error, message } } };
}

function commonEnvelope({ data, status, error, fields, requestId }: NumberedContent) {
  const validationResults = fields.map(({ field, message }) => ({
    memberNames: [field],
    errorMessage: message,
  }));
  return { data, status: STATUS_LABELS[status], error, warning: null, validationResults, requestId };
}

function feesEnvelope({ data, error, fields, requestId }: NumberedContent) {
  const validationErrors = fields.map(({ field, message }) => ({ field, error: message }));
  return { data, requestId, success: error === null, error, validationErrors };
}
