/** The response or error that the caller of a write gets for each fault, and how many writes took effect. */
export const WRITE_FAULTS: readonly [fault: string, seen: number | string, effects: number][] = [
  ['500-before-commit', 500, 0],
  ['500-after-commit', 500, 1],
  ['drop-before-commit', 'UND_ERR_SOCKET', 0],
  ['drop-after-commit', 'UND_ERR_SOCKET', 1],
  ['drop-after-delay', 'UND_ERR_SOCKET', 0],
  ['408-after-commit', 408, 1],
  ['400', 400, 0],
  ['400-for-fields', 400, 0],
  ['400-quoting', 400, 0],
  ['200-refused', 200, 0],
  ['200-refused-without-reason', 200, 0],
  ['403', 403, 0],
  ['400-without-reason', 400, 0],
  ['429', 429, 0],
  ['503', 503, 0],
  ['delay', 200, 1],
  ['delay-after-commit', 200, 1],
  ['expired-token', 401, 0],
  ['code-needed', 200, 1],
  ['twice', 200, 1],
  ['cut-short', 200, 1],
  ['another-form', 200, 1],
  ['warning', 200, 1],
  ['blank', 200, 1],
  ['first-page', 200, 1],
];

/** The status of the response to a call, or the error code if there is no response. */
export async function outcome(call: Promise<{ status: number }>): Promise<number | string> {
  return call.then(
    ({ status }) => status,
    ({ cause }: Error) => (cause as NodeJS.ErrnoException).code ?? 'unknown',
  );
}
