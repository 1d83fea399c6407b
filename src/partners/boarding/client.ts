import { z } from 'zod';
import type { PartnerClient } from '../client.js';
import { type Closable, type Connection, connectClient } from '../partner.js';
import { isNothing, UNKNOWN_FORM, validationProblems } from '../partner-error.js';
import type { PartnerResponse, Unwrapped } from '../responses.js';
import { type BoardingOperations, boardingOperations } from './operations.js';

export interface BoardingSettings extends Connection {
  readonly username: string;
  readonly password: string;
  /** Point-of-sale names that the partner accepts besides `None` and `CustomPos`. */
  readonly posNames?: readonly string[];
}

export type BoardingClient = PartnerClient<BoardingOperations> & Closable;

/** A client of the merchant boarding API (docs/partner-apis.md#merchant-boarding). Every call carries Basic credentials. */
export function boardingClient(settings: BoardingSettings): BoardingClient {
  const { username, password, posNames } = settings;
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const protocol = {
    system: 'boarding',
    authorization: async () => ({ authorization: `Basic ${credentials}` }),
    probe: 'listAgentProfiles',
    unwrap: openEnvelope,
    // A password that equals the user name, as in the sandbox, is not secret, and may be a word in a response.
    secrets: () => [password === username ? '' : password, credentials],
  };
  return connectClient(boardingOperations(posNames), protocol, settings);
}

const errorText = z.string().catch(({ value }) => (isNothing(value) ? '' : UNKNOWN_FORM));

/**
 * All envelopes in one: the common one (`status`, `warning`, `validationResults`) and the one for fees (`success`,
 * `validationErrors`) of docs/partner-apis.md#merchant-boarding-rules, and the bare `{error, message}` of a 401 or 403
 * (docs/partner-apis.md#merchant-boarding-assumptions).
 */
const envelope = z.object({
  data: z.unknown().optional(),
  error: errorText,
  success: z.boolean().nullish().catch(null),
  requestId: z.union([z.string(), z.number()]).transform(String).optional().catch(undefined),
  validationResults: validationProblems,
  validationErrors: validationProblems,
});

const UNKNOWN_WARNING = 'the partner warned in an unknown form';

/** Fields that may be next to those, but alone do not make an envelope. */
const others = z.object({
  warning: z.string().catch(({ value }) => (isNothing(value) ? '' : UNKNOWN_WARNING)),
  /** In the bare form of a 401 or 403, the text that explains `error`. */
  message: z.string().catch(''),
});

/** Reports whether a body is an envelope, by any of its fields. Other JSON, such as a proxy's, has none of them. */
function isInEnvelope(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    Object.keys(envelope.shape).some((field) => Object.hasOwn(body, field))
  );
}

function openEnvelope({ json }: PartnerResponse): Unwrapped | undefined {
  if (!isInEnvelope(json)) return undefined;
  const { data, error, success, requestId, validationResults, validationErrors } = envelope.parse(json);
  const { warning, message } = others.parse(json);
  const { data: _, ...around } = json as Readonly<Record<string, unknown>>;
  const fields = [...validationResults, ...validationErrors];
  const sentence = [error, message].filter(Boolean).join(': ');
  if (error && !fields.some((problem) => problem.message === sentence))
    fields.push({ field: '', message: sentence });
  return {
    failed: Boolean(error) || success === false || fields.length > 0,
    payload: data,
    envelope: around,
    fields,
    ...(requestId !== undefined && { requestId }),
    ...(warning && { warning }),
  };
}
