import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BoardingOperations, boardingOperations } from '../../partners/boarding/operations.js';
import { type Operation, operationName } from '../../partners/catalogue.js';
import { fieldProblems } from '../../partners/client.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { type Answer, withFaults } from '../fault-injection.js';
import type { Faults } from '../faults.js';
import { Refusal } from '../refusal.js';
import type { BoardingService } from './service.js';
import { authenticate, type User } from './users.js';

/** Serves every boarding operation of the catalogue, with the documented answers (apis/2). */
export function boardingRoutes(
  server: FastifyInstance,
  service: BoardingService,
  faults: Faults,
  posNames: readonly string[],
): void {
  let requests = 0;
  for (const [key, operation] of Object.entries(boardingOperations(posNames)) as [
    keyof BoardingOperations,
    Operation,
  ][]) {
    const envelope = operation.path === '/api/v2/merchant/fees' ? feesEnvelope : commonEnvelope;
    const errorBody = (status: number) =>
      envelope({
        requestId: 0,
        status,
        data: null,
        error: STATUS_LABELS[status] ?? 'fault',
        fields: [],
      });
    const handle = service.handlers[key] as (request: unknown, user: User) => unknown;
    server.route({
      method: operation.method,
      url: operation.path,
      handler: withFaults(faults, operationName(key), errorBody, async (request) => {
        const requestId = 70_000 + ++requests;
        const answer = (status: number, content: Omit<Content, 'requestId' | 'status'>): Answer => ({
          status,
          body: envelope({ requestId, status, ...content }),
        });
        const user = authenticate(request.headers.authorization);
        if (!user) return outsideEnvelope(401, 'Unauthorized', 'Invalid credentials');
        if (operation.method !== 'GET' && !user.mayWrite) {
          return outsideEnvelope(403, 'Forbidden', 'No permission for this operation');
        }
        const checked = operation.request.safeParse(await memberValues(operation, request));
        try {
          if (!checked.success) throw new Refusal(400, 'Validation failed', fieldProblems(checked.error));
          return answer(200, { data: handle(checked.data, user), error: null, fields: [] });
        } catch (refusal) {
          if (!(refusal instanceof Refusal)) throw refusal;
          const { status, message: error, fields } = refusal;
          return answer(status, { data: null, error, fields });
        }
      }),
    });
  }
}

/** What both envelopes are made from. */
interface Content {
  readonly requestId: number;
  readonly status: number;
  readonly data: unknown;
  readonly error: string | null;
  readonly fields: readonly FieldProblem[];
}

/** The form that refusals of a caller have (apis/4). */
function outsideEnvelope(status: number, error: string, message: string): Answer {
  return { status, body: { error, message } };
}

const STATUS_LABELS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

function commonEnvelope({ data, status, error, fields, requestId }: Content) {
  const validationResults = fields.map(({ field, message }) => ({
    memberNames: [field],
    errorMessage: message,
  }));
  return { data, status: STATUS_LABELS[status], error, warning: null, validationResults, requestId };
}

function feesEnvelope({ data, error, fields, requestId }: Content) {
  const validationErrors = fields.map(({ field, message }) => ({ field, error: message }));
  return { data, requestId, success: error === null, error, validationErrors };
}

/** The request's members from query and body, as the catalogue names them. */
async function memberValues(operation: Operation, request: FastifyRequest): Promise<Record<string, unknown>> {
  const fromQuery = Object.entries(request.query as Record<string, string>).map(([name, value]) => [
    // The real service takes both spellings (apis/4).
    name === 'ID' ? 'id' : name,
    /^-?\d+$/.test(value) ? Number(value) : value,
  ]);
  const fromBody = operation.encoding === 'multipart' ? await multipartMembers(request) : request.body;
  const body = typeof fromBody === 'object' ? fromBody : {};
  return { ...body, ...Object.fromEntries(fromQuery) };
}

async function multipartMembers(request: FastifyRequest): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  if (!request.isMultipart()) return members;
  for await (const part of request.parts()) {
    if (part.type === 'field') members[part.fieldname] = part.value;
    else {
      const content = new Uint8Array(await part.toBuffer());
      members[part.fieldname] = { fileName: part.filename, contentType: part.mimetype, content };
    }
  }
  return members;
}
