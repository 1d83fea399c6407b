import { createHash } from 'node:crypto';

/** Where news goes. */
export interface Destination {
  /** What Temporal, logs and people call it: short, and without what a URL may hide. */
  readonly id: string;
  readonly url: string;
}

/** The same URL always has the same id. */
export function destinationOf(url: string): Destination {
  const { hostname } = new URL(url);
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 8);
  return { id: `${hostname.replace(/[^\w.-]/g, '')}-${hash}`, url };
}
