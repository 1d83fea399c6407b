/** How soon a wait for a change may read again. A wait without it reads at once. */
export interface Pace {
  /** When what is known was read, in milliseconds since 1970. */
  readonly readAt: number;
  /** How many waits in a row ended with their first read, the last one included. */
  readonly changes: number;
}
