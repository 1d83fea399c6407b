import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { payloadCodec } from './payload-codec.js';
import type { PayloadKeys } from './payload-keys.js';

/** As built: the SDK loads it with `require`, which does not read the sources. */
export const FAILURE_CONVERTER = fileURLToPath(
  new URL('../../dist/temporal/failure-converter.js', import.meta.url),
);

/**
 * How clients and workers turn values into payloads: encrypted with keys, and without them in the clear. Without
 * keys failures keep their form too, for as payloads they would be harder to read and just as public.
 */
export function dataConverter(keys: PayloadKeys | undefined): DataConverter {
  if (!keys) return {};
  return { payloadCodecs: [payloadCodec(keys)], failureConverterPath: FAILURE_CONVERTER };
}
