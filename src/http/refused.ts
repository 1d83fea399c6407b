/** A request that is answered with a status other than 200. The message is for the caller, and never holds contents. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    /** HTTP status. */
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** `TypeError`, or `Problem: ECONNREFUSED`: what of an error may be logged. A message may hold contents, and is left out. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.cause === undefined ? codeOf(error) : `${codeOf(error)}: ${kindOf(error.cause)}`;
}

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? error.name);
}
