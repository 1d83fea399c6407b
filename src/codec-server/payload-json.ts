import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import { z } from 'zod';
import { Refused } from '../http/refused.js';

const { Payloads } = proto.temporal.api.common.v1;

/** How many may come at once: what a page of the Web UI shows, several times over. */
const MAX_PAYLOADS = 1_000;

/** Bytes in proto3 JSON: base64 of either alphabet, with padding or without. */
const bytes = z
  .string()
  .refine(
    (text) => /^[\w+/-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1,
    'must be base64',
  )
  .transform((text) => Buffer.from(text, 'base64'));

const externalPayload = z.strictObject({
  sizeBytes: z.union([z.string().regex(/^\d+$/), z.int()]).nullish(),
});

/** `temporal.api.common.v1.Payloads` in proto3 JSON. As its parsers do, it refuses members that it does not know. */
const body = z.strictObject({
  payloads: z
    .array(
      z.strictObject({
        metadata: z.record(z.string(), bytes).nullish(),
        data: bytes.nullish(),
        externalPayloads: z.array(externalPayload).nullish(),
      }),
    )
    .nullish(),
});

/** @throws {Refused} naming the member that is wrong, and not what it holds; with 413 when there are too many */
export function payloadsFrom(json: unknown): Payload[] {
  const checked = body.safeParse(json);
  if (checked.success) {
    if ((checked.data.payloads?.length ?? 0) <= MAX_PAYLOADS)
      return Payloads.fromObject(checked.data).payloads;
    throw new Refused(413, `a request takes ${MAX_PAYLOADS} payloads at most`);
  }
  const [issue] = checked.error.issues;
  throw new Refused(400, `${memberName(issue?.path ?? [])}: ${issue?.message}`);
}

/** The answer's body: `{"payloads":[{"metadata":{"encoding":"..."},"data":"..."}]}` with bytes in base64. */
export function payloadsToJson(payloads: readonly Payload[]): object {
  return Payloads.toObject(Payloads.fromObject({ payloads }), {
    bytes: String,
    longs: String,
    arrays: false,
  });
}

/** `payloads[0].metadata.encoding`. */
function memberName(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '') || 'the body';
}
