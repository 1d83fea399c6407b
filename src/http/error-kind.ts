/** `TypeError`, or `Problem: ECONNREFUSED`: what of an error may be logged. A message may hold contents, and is left out. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.cause === undefined ? codeOf(error) : `${codeOf(error)}: ${kindOf(error.cause)}`;
}

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? error.name);
}
