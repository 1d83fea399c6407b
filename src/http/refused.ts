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
