import { z } from 'zod';
import { type Opened, type PartnerClient, partnerClient, partnerOff } from '../client.js';
import { type HttpLimits, type HttpResponse, PartnerHttp } from '../http.js';
import type { PartnerObserver } from '../observer.js';
import type { FieldProblem } from '../partner-error.js';
import { parsedBody } from '../plain-answers.js';
import { type BoardingOperations, boardingOperations } from './operations.js';

const SYSTEM = 'boarding';

export interface BoardingSettings {
  /** https, or http to loopback; a path below the origin is kept. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Point-of-sale names the partner knows beside `None` and `CustomPos`. */
  readonly posNames?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
  readonly observe?: PartnerObserver | undefined;
}

export type BoardingClient = PartnerClient<BoardingOperations> & { close(): Promise<void> };

/** A client of the merchant boarding API (apis/2). Every call carries Basic credentials. */
export function boardingClient(settings: BoardingSettings): BoardingClient {
  const credentials = Buffer.from(`${settings.username}:${settings.password}`).toString('base64');
  const http = new PartnerHttp(settings.url, settings.limits);
  const protocol = {
    system: SYSTEM,
    authorization: async () => ({ authorization: `Basic ${credentials}` }),
    open: openEnvelope,
    observe: settings.observe,
  };
  const client = partnerClient(boardingOperations(settings.posNames), protocol, http);
  return { ...client, close: () => http.close() };
}

/** The client of a boarding partner that is not set up. */
export function boardingOff(reason: string): BoardingClient {
  return { ...partnerOff(SYSTEM, boardingOperations(), reason), close: async () => undefined };
}

const problem = z
  .union([
    z.object({ memberNames: z.array(z.string()), errorMessage: z.string() }),
    z.object({ field: z.string(), error: z.string() }),
  ])
  .transform((item): FieldProblem[] => {
    if ('field' in item) return [{ field: item.field, message: item.error }];
    const names = item.memberNames.length > 0 ? item.memberNames : [''];
    return names.map((field) => ({ field, message: item.errorMessage }));
  });

const UNKNOWN_FORM = 'the partner reported a problem in an unknown form';

/** `null`, `''`, `[]` and the like: the partner has nothing to tell. */
const isNothing = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0);

const problems = z
  .array(problem.catch([{ field: '', message: UNKNOWN_FORM }]))
  .catch(({ value }) => (isNothing(value) ? [] : [[{ field: '', message: UNKNOWN_FORM }]]))
  .transform((lists) => lists.flat());

const errorText = z.string().catch(({ value }) => (isNothing(value) ? '' : UNKNOWN_FORM));

/**
 * Both envelopes of apis/2 at once, and the bare `{error, message}` of a 401 or 403 (apis/4): the common one
 * (`status`, `warning`, `validationResults`) and that of fees (`success`, `validationErrors`).
 */
const envelope = z.object({
  data: z.unknown().optional(),
  error: errorText,
  success: z.boolean().nullish().catch(null),
  requestId: z.union([z.string(), z.number()]).transform(String).optional().catch(undefined),
  validationResults: problems,
  validationErrors: problems,
});

/** Any of its members makes an envelope. Other JSON, as from some proxy on the way, has none of them. */
function isInEnvelope(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    Object.keys(envelope.shape).some((member) => Object.hasOwn(body, member))
  );
}

function openEnvelope(response: HttpResponse): Opened | undefined {
  const body = parsedBody(response.body);
  if (!isInEnvelope(body)) return undefined;
  const { data, error, success, requestId, validationResults, validationErrors } = envelope.parse(body);
  const fields = [...validationResults, ...validationErrors];
  // A 404 or a plain 400 says what is wrong only in `error`.
  if (fields.length === 0 && error) fields.push({ field: '', message: error });
  return {
    failed: Boolean(error) || success === false || fields.length > 0,
    payload: data,
    fields,
    ...(requestId !== undefined && { requestId }),
  };
}
